import { hostname } from 'node:os'
import {
  type Context,
  DiagLogLevel,
  diag,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import { type Attributes, type NewSpan, type Span, setTracer } from './tracing.ts'

/* Only loaded if an endpoint is set: see load.ts. */

export interface TracingOptions {
  /** The base URL of an OTLP/HTTP receiver. */
  endpoint: string
  headers: Readonly<Record<string, string>>
  serviceName: string
  version: string
  /** The share of traces that is kept, from 0 to 1. A client's decision about its trace counts. */
  share: number
  /** Called when spans could not be sent. */
  onFailure(message: string): void
}

const KINDS = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL }

const HEADERS = {
  get: (carrier: NonNullable<NewSpan['headers']>, name: string) => carrier[name],
  keys: (carrier: NonNullable<NewSpan['headers']>) => Object.keys(carrier),
}

/** How often a receiver that does not respond is reported. */
const REPORT_MS = 60_000

/** Sends spans to an OTLP receiver. Returns a function that sends what is left, and ends this. */
export function startOpenTelemetry(options: TracingOptions): () => Promise<void> {
  const { endpoint, headers, serviceName, version, share } = options
  reportFailures(options.onFailure)
  const exporter = new OTLPTraceExporter({ url: `${endpoint}/v1/traces`, headers })
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      'service.name': serviceName,
      'service.version': version,
      'service.instance.id': `${hostname()}-${process.pid}`,
    }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(share) }),
    spanProcessors: [new BatchSpanProcessor({ exporter })],
  })
  const tracer = provider.getTracer('tradepost', version)
  const propagator = new W3CTraceContextPropagator()
  const contexts = new WeakMap<Span, Context>()

  const contextOf = ({ parent, headers }: NewSpan): Context => {
    const known = parent && contexts.get(parent)
    if (known) return known
    return headers ? propagator.extract(ROOT_CONTEXT, headers, HEADERS) : ROOT_CONTEXT
  }

  const unset = setTracer({
    begin(name, span) {
      const context = contextOf(span)
      const kind = KINDS[span.kind]
      const begun = tracer.startSpan(name, { kind, attributes: { ...span.attributes } }, context)
      const ours: Span = {
        set: (attributes: Attributes) => void begun.setAttributes({ ...attributes }),
        fail(type) {
          begun.setStatus({ code: SpanStatusCode.ERROR })
          begun.setAttribute('error.type', type)
        },
        end: () => begun.end(),
      }
      contexts.set(ours, trace.setSpan(context, begun))
      return ours
    },
  })
  return async () => {
    unset()
    await provider.shutdown().catch(() => {})
  }
}

function reportFailures(onFailure: (message: string) => void): void {
  let reportedAt = Number.NEGATIVE_INFINITY
  const report = (message: string) => {
    if (performance.now() - reportedAt < REPORT_MS) return
    reportedAt = performance.now()
    onFailure(message)
  }
  const nothing = () => {}
  const logger = { error: report, warn: report, info: nothing, debug: nothing, verbose: nothing }
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true })
}
