import type { Health } from '@mostrador/kit/process/health';
import type { Log } from '@mostrador/kit/process/log';
import type { Metrics } from '@mostrador/kit/process/metrics';
import type { Tracing } from '@mostrador/kit/process/tracing';
import type { RpcClient } from '@mostrador/kit/rpc/client';
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import type { AccessDirectory } from './access/access-directory.ts';
import type { KeyUsage } from './access/key-usage.ts';
import { addRoutes } from './api/add-routes.ts';
import { addCalendarChanges } from './api/calendar-changes.ts';
import { addCalendarFeed } from './api/calendar-feed.ts';
import { forwarder } from './api/forward.ts';
import { createWebhookBytes } from './api/webhook-bytes.ts';
import { addWhatsappWebhook } from './api/whatsapp-webhook.ts';
import { addConsole } from './console/add-console.ts';
import { addDocs } from './docs/add-docs.ts';
import { addEventStream } from './events/add-event-stream.ts';
import { accessCheck } from './events/check-access.ts';
import { exportFollowers, type Followers } from './events/followers.ts';
import { createRunningExports } from './exports/running-exports.ts';
import { createApiDocument } from './openapi/document.ts';
import { addPersonApi } from './platform/add-person-api.ts';
import { addPlatform } from './platform/add-platform.ts';
import { createSessionChecks } from './platform/session-checks.ts';
import { createSessionGuard } from './platform/session-guard.ts';
import { addAccessLog } from './plugins/access-log.ts';
import { addAllowedMethods } from './plugins/allowed-methods.ts';
import { addAuth } from './plugins/auth.ts';
import { addCompression } from './plugins/compression.ts';
import { addConnectionLimit } from './plugins/connection-limit.ts';
import { addConnectionRules, clientErrorHandler } from './plugins/connections.ts';
import { addCors } from './plugins/cors.ts';
import { addJsonBody, bodyLimit } from './plugins/json-body.ts';
import { addPermission } from './plugins/permission.ts';
import { addProbes } from './plugins/probes.ts';
import { addProblems, sendProblem, toAppError } from './plugins/problem.ts';
import { addProxyWatch } from './plugins/proxy-watch.ts';
import { addRateLimit } from './plugins/rate-limit.ts';
import { addRequestId, requestIdOf } from './plugins/request-id.ts';
import { addSecurityHeaders } from './plugins/security-headers.ts';
import { addTracing } from './plugins/tracing.ts';
import { routes } from './routes/index.ts';
import { type ApiRoute, apiPrefix, platformPrefix, type Route } from './routes/route.ts';
import { addSandbox } from './sandbox/sandbox.ts';

export type AppDependencies = {
  readonly directory: AccessDirectory;
  readonly usage: KeyUsage;
  readonly rpc: RpcClient;
  /** The requests that wait for events. The app ends them when it closes. */
  readonly followers: Followers;
  readonly health: Health;
  readonly metrics: Metrics;
  readonly log: Log;
  /** Undefined: the gateway makes no traces. */
  readonly tracing?: Tracing | undefined;
  readonly settings: {
    /** Where clients reach the gateway, without a trailing slash. */
    readonly publicUrl: string;
    /** Where integrators get help. Default: `/docs`. */
    readonly contactUrl?: string;
    readonly corsOrigins?: string;
    /** Whether there are the reference, the guides and the OpenAPI document. Default: true. */
    readonly docs?: boolean;
    /** The folder with the built console. Default: there is no console. */
    readonly consoleDirectory?: string;
    /** Proxies whose `X-Forwarded-For` names the client, separated by commas. Default: none. */
    readonly trustedProxies?: string;
    /** A proxy sets `traceparent`, or removes that of a client. Default: false. */
    readonly trustTraceparent?: boolean;
    /** Ids of real rows for the examples of the API document. Default: none. */
    readonly exampleIdsFile?: string;
    readonly requestTimeoutMs: number;
    readonly maximumConnections: number;
    /** A connection on which nothing moves for this time during a request is closed. */
    readonly connectionTimeoutMs: number;
    /** The limit for a whole request to arrive. Default: 30 s. */
    readonly arrivalTimeoutMs?: number;
    /** How often a minute the telephone of one sandbox writes or reports. Default: 60. */
    readonly sandboxWritesPerMinute?: number;
    /** The payload bytes that webhooks may hold at once. Default: 32 MiB. */
    readonly webhookBytes?: number;
  };
};

/** The most bytes that all headers of a request may have. */
const headerLimit = 16 * 1024;
const defaultArrivalTimeoutMs = 30_000;
const defaultSandboxWrites = 60;
const defaultWebhookBytes = 32 * 1024 * 1024;

/** The gateway's HTTP server, not listening yet. */
export async function createApp(dependencies: AppDependencies): Promise<FastifyInstance> {
  const { directory, usage, rpc, followers, health, metrics, log, tracing, settings } = dependencies;
  const { publicUrl, requestTimeoutMs, arrivalTimeoutMs = defaultArrivalTimeoutMs } = settings;
  const { webhookBytes = defaultWebhookBytes } = settings;

  const app = fastify({
    // `addAccessLog` writes one line for each request instead.
    logger: false,
    bodyLimit,
    genReqId: requestIdOf,
    trustProxy: settings.trustedProxies ?? false,
    requestTimeout: arrivalTimeoutMs,
    // Nothing moves while an operation runs either, so the limit lies above an operation's own.
    connectionTimeout: Math.max(settings.connectionTimeoutMs, requestTimeoutMs + 1000),
    http: {
      maxHeaderSize: headerLimit,
      headersTimeout: arrivalTimeoutMs,
      connectionsCheckingInterval: Math.min(1000, arrivalTimeoutMs),
      // `addConnectionRules` checks the header, so that the error is a problem document.
      requireHostHeader: false,
    },
    // While the server stops, it still answers requests that arrive, then closes their connections.
    return503OnClosing: false,
    routerOptions: { maxParamLength: headerLimit },
    frameworkErrors: (error, request, reply) => {
      sendProblem(request, reply as unknown as FastifyReply, toAppError(error), publicUrl);
    },
    clientErrorHandler: clientErrorHandler(publicUrl),
  });

  const sessions = createSessionChecks({ rpc, log });
  const guard = createSessionGuard(sessions);
  addSecurityHeaders(app, { publicUrl });
  addProblems(app, { publicUrl, log });
  addCompression(app);
  addJsonBody(app);
  addRequestId(app);
  // Before the access log, whose line then names the trace.
  addTracing(app, { tracing, trusted: settings.trustTraceparent ?? false });
  addAccessLog(app, { log, metrics });
  addProxyWatch(app, { log });
  addConnectionRules(app, { publicUrl, health });
  addConnectionLimit(app, { maximum: settings.maximumConnections, metrics });
  const { answerOptions, refuse, isLost } = addAllowedMethods(app);
  await addCors(app, { origins: settings.corsOrigins });
  // Needs no key: a browser's preflight has none, and the methods are documented.
  app.addHook('onRequest', (request, reply, done) => {
    if (!answerOptions(request, reply)) done();
  });
  // Runs before body parsing, because Fastify fails a QUERY request without a body on any path. Below the prefix, the
  // key is checked first.
  app.addHook('onRequest', (request, reply, done) => {
    done(request.server.prefix === '' && isLost(request) ? refuse(request, reply) : undefined);
  });

  const exports = createRunningExports(metrics);
  // Before the server closes, which waits for all responses.
  app.addHook('preClose', async () => {
    exports.close();
    await followers.close();
    await sessions.stop();
  });
  sessions.start();
  exportFollowers(metrics, followers);

  addProbes(app, { health });
  addCalendarFeed(app, { rpc, requestTimeoutMs });
  addCalendarChanges(app, { rpc, requestTimeoutMs });
  const bytes = createWebhookBytes({ limit: webhookBytes, metrics });
  addWhatsappWebhook(app, { rpc, requestTimeoutMs, bytes });
  const { sandboxWritesPerMinute: writesPerMinute = defaultSandboxWrites } = settings;
  await addSandbox(app, { rpc, requestTimeoutMs, writesPerMinute });
  const document = createApiDocument(routes, { publicUrl, contactUrl: settings.contactUrl });
  addDocs(app, { document, publicUrl, isOn: settings.docs ?? true, exampleIdsFile: settings.exampleIdsFile });
  if (settings.consoleDirectory) await addConsole(app, settings.consoleDirectory);
  app.setNotFoundHandler((request, reply) => {
    throw refuse(request, reply);
  });

  await app.register(
    async (platform) => {
      platform.addHook('onRequest', (request, reply, done) => {
        done(isLost(request) ? refuse(request, reply) : undefined);
      });
      platform.setNotFoundHandler((request, reply) => {
        throw refuse(request, reply);
      });
      await addPlatform(platform, { rpc, guard, publicUrl, requestTimeoutMs });
      await platform.register(async (people) =>
        addPersonApi(people, { rpc, publicUrl, requestTimeoutMs, followers, sessions, guard, log }),
      );
    },
    { prefix: platformPrefix },
  );

  // The hooks reject in this order: 401, 429, 404 and 405, 403. Body parsing comes after them.
  await app.register(
    async (api) => {
      addAuth(api, { directory, usage });
      addRateLimit(api, { log });
      api.addHook('onRequest', (request, reply, done) => {
        reply.header('cache-control', 'no-store');
        done(isLost(request) ? refuse(request, reply) : undefined);
      });
      addPermission(api);
      // With its own not-found handler, this scope runs the hooks above for unknown paths too.
      api.setNotFoundHandler((request, reply) => {
        throw refuse(request, reply);
      });
      const stillMay = (request: FastifyRequest, route: Route) =>
        accessCheck(directory, request.access.callerId, route as ApiRoute);
      const feed = { followers, stillMay };
      const exporting = { running: exports, log };
      const baseUrl = `${publicUrl}${apiPrefix}`;
      addRoutes(api, routes, forwarder({ rpc, baseUrl, requestTimeoutMs, feed, exporting }));
      addEventStream(api, { rpc, requestTimeoutMs, feed });
    },
    { prefix: apiPrefix },
  );
  await app.ready();
  return app;
}
