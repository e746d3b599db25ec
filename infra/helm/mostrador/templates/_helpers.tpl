{{/* The description of the platform, which `tools/platform/write.ts` makes from the code. */}}
{{- define "mostrador.platform" -}}
{{ .Files.Get "files/platform.json" }}
{{- end -}}

{{- define "mostrador.labels" -}}
app.kubernetes.io/name: mostrador
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component | default .name }}
app.kubernetes.io/version: {{ include "mostrador.tag" . | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ .root.Chart.Name }}-{{ .root.Chart.Version }}
{{- end -}}

{{- define "mostrador.selector" -}}
app.kubernetes.io/name: mostrador
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component | default .name }}
{{- end -}}

{{- define "mostrador.fullname" -}}
{{ printf "%s-%s" .root.Release.Name (.component | default .name) | trunc 63 | trimSuffix "-" }}
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

{{/*
What has a Deployment of its own: each process, and of a process with `versions` each of these. As JSON: a list of dicts with
the process's name, its component, its settings, and as `build` the version by which Temporal knows its workers.
*/}}
{{- define "mostrador.units" -}}
{{- $units := list -}}
{{- range $name, $process := .platform.processes -}}
{{- $settings := include "mostrador.settings" (dict "root" $.root "platform" $.platform "name" $name) | fromJson -}}
{{- $unit := dict "name" $name "component" $name "process" $process "settings" $settings "build" "" -}}
{{- if and $settings.versions (ne $process.kind "worker") -}}
{{- fail (printf "processes.%s.versions: only workers of Temporal have versions. Set processes.%s.tag" $name $name) -}}
{{- end -}}
{{- range $entry := $settings.versions | default (list "unversioned") -}}
{{- $version := toString $entry -}}
{{- if eq $version "unversioned" -}}
{{- $units = append $units $unit -}}
{{- else -}}
{{- $own := mustMergeOverwrite (deepCopy $settings) (dict "tag" $version) -}}
{{- $component := printf "%s-%s" $name ($version | lower | replace "." "-" | replace "_" "-") -}}
{{- $units = append $units (mustMergeOverwrite (deepCopy $unit) (dict "component" $component "settings" $own "build" $version)) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{ $units | toJson }}
{{- end -}}

{{/* Rejects a variable that the chart cannot give to any process. `place` is where it stands in the values. */}}
{{- define "mostrador.reject" -}}
{{- $place := printf "%s.%s" .place .name -}}
{{- if or (has .name .platform.secrets) (and (hasSuffix "_FILE" .name) (has (trimSuffix "_FILE" .name) .platform.secrets)) -}}
{{- fail (printf "%s is a secret: put it into the Secret %s<process>" $place .root.Values.secrets.prefix) -}}
{{- else if has .name .platform.files -}}
{{- fail (printf "%s names a file: put the file into the Secret of tls.existingSecret, and its key into tls.files.%s" $place .name) -}}
{{- else if has .name .platform.ports -}}
{{- fail (printf "%s: the chart sets the ports in a pod. monitoring.port is that of the metrics, and gateway.service.port that of the gateway's Service" $place) -}}
{{- else if has .name .platform.ofBuild -}}
{{- fail (printf "%s: it is for a clone. An image has what it needs" $place) -}}
{{- else if eq .name "TEMPORAL_WORKER_BUILD_ID" -}}
{{- fail (printf "%s: an upgrade would end the workers of the version that is current. List the versions in processes.workflows.versions: each has its own Deployment and build id" $place) -}}
{{- else if not (has .name .platform.variables) -}}
{{- fail (printf "%s: no process reads such a variable" $place) -}}
{{- end -}}
{{- end -}}

{{/* A value as text. Numbers of the values are floating-point, and a large one would get an exponent. */}}
{{- define "mostrador.text" -}}
{{- if and (kindIs "float64" .) (eq (floor .) .) -}}{{ int64 . }}{{- else -}}{{ toString . }}{{- end -}}
{{- end -}}

{{/* The variables in `config` that a program reads, as JSON. `variables` are their names. */}}
{{- define "mostrador.shared" -}}
{{- $all := dict -}}
{{- range $name, $value := .root.Values.config -}}
{{- $text := include "mostrador.text" $value -}}
{{- if and (has $name $.variables) $text -}}{{- $_ := set $all $name $text -}}{{- end -}}
{{- end -}}
{{ $all | toJson }}
{{- end -}}

{{/* The variables of a process that are not secret, from `config` and its own. Rejects what the process cannot use. */}}
{{- define "mostrador.variables" -}}
{{- $process := .process -}}
{{- range $name, $_ := .root.Values.config -}}
{{- include "mostrador.reject" (dict "root" $.root "platform" $.platform "place" "config" "name" $name) -}}
{{- end -}}
{{- $all := include "mostrador.shared" (dict "root" .root "variables" $process.variables) | fromJson -}}
{{- range $name, $value := .settings.config | default dict -}}
{{- include "mostrador.reject" (dict "root" $.root "platform" $.platform "place" (printf "processes.%s.config" $.name) "name" $name) -}}
{{- if not (has $name $process.variables) -}}
{{- fail (printf "processes.%s.config.%s: the process reads no such variable" $.name $name) -}}
{{- end -}}
{{- $_ := set $all $name (include "mostrador.text" $value) -}}
{{- end -}}
{{- range .root.Values.secrets.optional -}}
{{- if not (has . $.platform.secrets) -}}
{{- fail (printf "secrets.optional: %s is no secret variable" .) -}}
{{- end -}}
{{- end -}}
{{- range $name, $_ := .root.Values.tls.files -}}
{{- if not (has $name $.platform.files) -}}
{{- fail (printf "tls.files.%s: no process reads such a file" $name) -}}
{{- end -}}
{{- end -}}
{{- range $name, $_ := (.settings.tls | default dict).files -}}
{{- if not (has $name $process.files) -}}
{{- fail (printf "processes.%s.tls.files.%s: the process reads no such file" $.name $name) -}}
{{- end -}}
{{- end -}}
{{- range $process.required -}}
{{- if not (hasKey $all .) -}}
{{- fail (printf "config.%s is required by %s" . $.name) -}}
{{- end -}}
{{- end -}}
{{ $all | toJson }}
{{- end -}}

{{/*
The files of `tls` that a program reads, as JSON: the Secret and the key of each variable. `files` are the variables' names,
`own` is what the program has beside the values for all, and `place` where that stands in the values.
*/}}
{{- define "mostrador.files" -}}
{{- $all := dict -}}
{{- $own := .own | default dict -}}
{{- range $from := list (dict "tls" .root.Values.tls "place" "tls") (dict "tls" $own "place" (printf "%s.tls" .place)) -}}
{{- range $name, $key := $from.tls.files -}}
{{- if and (has $name $.files) $key -}}
{{- $secret := $from.tls.existingSecret | default $.root.Values.tls.existingSecret -}}
{{- if not $secret -}}{{- fail (printf "%s.files.%s: %s.existingSecret names no Secret" $from.place $name $from.place) -}}{{- end -}}
{{- $_ := set $all $name (dict "secret" $secret "key" $key) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- if and $own.existingSecret (not $own.files) -}}
{{- fail (printf "%s.tls.existingSecret: name its keys in %s.tls.files" .place .place) -}}
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
{{- range $name, $_ := .files }}
- name: {{ $name }}
  value: /run/tls/mostrador/{{ $name }}
{{- end }}
{{- end -}}

{{/* The volumes behind those paths: no key of a Secret but those that the program reads. */}}
{{- define "mostrador.volumes" -}}
- name: secrets
  secret:
    secretName: {{ .secretName }}
    defaultMode: 288 # 0440: the group of the process may read
    items:
      {{- range .secrets }}
      - { key: {{ . }}, path: {{ . }} }
      {{- end }}
{{- if .files }}
- name: tls
  projected:
    defaultMode: 288 # 0440: the group of the process may read
    sources:
      {{- range $name, $file := .files }}
      - secret: { name: {{ $file.secret }}, items: [{ key: {{ $file.key }}, path: {{ $name }} }] }
      {{- end }}
{{- end }}
{{- end -}}

{{- define "mostrador.mounts" -}}
- { name: secrets, mountPath: /run/secrets/mostrador, readOnly: true }
{{- if .files }}
- { name: tls, mountPath: /run/tls/mostrador, readOnly: true }
{{- end }}
{{- end -}}

{{/* The rules of a network policy by which a pod reaches these servers. */}}
{{- define "mostrador.egress" -}}
{{- range .servers }}
{{- $server := get $.policy . }}
- ports: [{ port: {{ $server.port }} }]
  {{- with $server.to }}
  to: {{- toYaml . | nindent 4 }}
  {{- end }}
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
