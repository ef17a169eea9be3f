import type { TracingOptions } from './opentelemetry.ts'

/**
 * Starts tracing if an endpoint is set. Without one, the libraries are not even loaded. Returns a
 * function that sends what is left, and ends tracing.
 */
export async function startTracing(
  options: Omit<TracingOptions, 'endpoint'> & { endpoint: string | undefined },
): Promise<() => Promise<void>> {
  const { endpoint } = options
  if (endpoint === undefined) return async () => {}
  const { startOpenTelemetry } = await import('./opentelemetry.ts')
  return startOpenTelemetry({ ...options, endpoint })
}
