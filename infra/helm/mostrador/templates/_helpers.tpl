{{/* The description of the platform, which `tools/platform/write.ts` makes from the code. */}}
{{- define "mostrador.platform" -}}
{{ .Files.Get "files/platform.json" }}
{{- end -}}

{{- define "mostrador.labels" -}}
app.kubernetes.io/name: mostrador
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .name }}
app.kubernetes.io/version: {{ include "mostrador.tag" . | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ .root.Chart.Name }}-{{ .root.Chart.Version }}
{{- end -}}

{{- define "mostrador.selector" -}}
app.kubernetes.io/name: mostrador
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .name }}
{{- end -}}

{{- define "mostrador.fullname" -}}
{{ printf "%s-%s" .root.Release.Name .name | trunc 63 }}
{{- end -}}

{{- define "mostrador.image" -}}
{{- $image := .root.Values.image -}}
{{ with $image.registry }}{{ . }}/{{ end }}{{ $image.repository }}/{{ .name }}:{{ include "mostrador.tag" . }}
{{- end -}}

{{/* The version of a process: its own, so that each is rolled out and back alone, or that of all. */}}
{{- define "mostrador.tag" -}}
{{ (.settings | default dict).tag | default .root.Values.image.tag | default .root.Chart.AppVersion }}
{{- end -}}

{{/* The settings of a process: `defaults`, then its own. */}}
{{- define "mostrador.settings" -}}
{{- range $name, $_ := .root.Values.processes -}}
{{- if not (hasKey $.platform.processes $name) -}}
{{- fail (printf "processes.%s: there is no such process. There are: %s" $name (keys $.platform.processes | sortAlpha | join ", ")) -}}
{{- end -}}
{{- end -}}
{{ mustMergeOverwrite (deepCopy .root.Values.defaults) (deepCopy (get .root.Values.processes .name | default dict)) | toJson }}
{{- end -}}

{{/* The variables of a process that are not secret, from `config` and its own. Rejects what the process cannot use. */}}
{{- define "mostrador.variables" -}}
{{- $process := .process -}}
{{- $own := .settings.config | default dict -}}
{{- $all := dict -}}
{{- range $name, $value := .root.Values.config -}}
{{- if has $name $.platform.secrets -}}
{{- fail (printf "config.%s is a secret: put it into the Secret %s<process>" $name $.root.Values.secrets.prefix) -}}
{{- else if not (has $name $.platform.variables) -}}
{{- fail (printf "config.%s: no process reads such a variable" $name) -}}
{{- else if has $name $process.variables -}}
{{- if ne (toString $value) "" -}}{{- $_ := set $all $name (toString $value) -}}{{- end -}}
{{- end -}}
{{- end -}}
{{- range $name, $value := $own -}}
{{- if not (has $name $process.variables) -}}
{{- fail (printf "processes.%s.config.%s: the process reads no such variable, or it is a secret" $.name $name) -}}
{{- end -}}
{{- $_ := set $all $name (toString $value) -}}
{{- end -}}
{{- range .root.Values.secrets.optional -}}
{{- if not (has . $.platform.secrets) -}}
{{- fail (printf "secrets.optional: %s is no secret variable" .) -}}
{{- end -}}
{{- end -}}
{{- range $name, $_ := .root.Values.tls.files -}}
{{- if not (or (eq $name "NODE_EXTRA_CA_CERTS") (has $name $.platform.files)) -}}
{{- fail (printf "tls.files.%s: no process reads such a file" $name) -}}
{{- end -}}
{{- end -}}
{{- range $process.required -}}
{{- if not (hasKey $all .) -}}
{{- fail (printf "config.%s is required by %s" . $.name) -}}
{{- end -}}
{{- end -}}
{{ $all | toJson }}
{{- end -}}

{{/* The environment of a container: variables, and the paths of the files with its secrets and certificates. */}}
{{- define "mostrador.environment" -}}
{{- range $name, $value := .variables }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- range .secrets }}
- name: {{ . }}_FILE
  value: /run/secrets/mostrador/{{ . }}
{{- end }}
{{- range $name, $key := .root.Values.tls.files }}
{{- if or (eq $name "NODE_EXTRA_CA_CERTS") (has $name $.files) }}
- name: {{ $name }}
  value: /run/tls/mostrador/{{ $key }}
{{- end }}
{{- end }}
{{- end -}}

{{/* The volumes behind those paths. */}}
{{- define "mostrador.volumes" -}}
- name: secrets
  secret:
    secretName: {{ .secretName }}
    defaultMode: 288 # 0440: the group of the process may read
    items:
      {{- range .secrets }}
      - { key: {{ . }}, path: {{ . }} }
      {{- end }}
{{- with .root.Values.tls.existingSecret }}
- name: tls
  secret:
    secretName: {{ . }}
    defaultMode: 288 # 0440: the group of the process may read
{{- end }}
{{- end -}}

{{- define "mostrador.mounts" -}}
- { name: secrets, mountPath: /run/secrets/mostrador, readOnly: true }
{{- if .Values.tls.existingSecret }}
- { name: tls, mountPath: /run/tls/mostrador, readOnly: true }
{{- end }}
{{- end -}}

{{- define "mostrador.podSecurity" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
seccompProfile: { type: RuntimeDefault }
{{- end -}}

{{- define "mostrador.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end -}}
