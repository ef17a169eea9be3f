import {
  AggregatorRegistry,
  type MetricObjectWithValues,
  type MetricValue,
  Registry,
} from 'prom-client'

type Collected = MetricObjectWithValues<MetricValue<string>>
interface Metric {
  name: string
  get(): Promise<Collected>
}

/**
 * Returns a function that collects the metrics of a process. A metric that takes longer than
 * `withinMs`, such as one that reads a slow database, has its last values, or is left out if there
 * are none. It would otherwise hold up all others: a process that responds late is left out of the
 * metrics of its server, whose counters would then seem to fall.
 */
export function collectorOf(registry: Registry, withinMs: number): () => Promise<Collected[]> {
  const last = new Map<string, Collected>()

  async function collect(metric: Metric, late: Promise<undefined>) {
    const collected = metric.get().then((values) => {
      last.set(metric.name, values)
      return values
    })
    // If it fails later, nobody is waiting for it any more.
    collected.catch(() => undefined)
    return (await Promise.race([collected, late])) ?? last.get(metric.name)
  }

  return async () => {
    const { promise: late, resolve } = Promise.withResolvers<undefined>()
    const timer = setTimeout(resolve, withinMs, undefined)
    try {
      const metrics = registry.getMetricsAsArray() as unknown as Metric[]
      const found = await Promise.all(metrics.map((metric) => collect(metric, late)))
      return found.filter((one) => one !== undefined)
    } finally {
      clearTimeout(timer)
    }
  }
}

/** Returns the metrics of one process as text. */
export function textOf(collected: readonly Collected[]): Promise<string> {
  const shown = new Registry()
  for (const one of collected) shown.registerMetric({ ...one, get: async () => one } as never)
  return shown.metrics()
}

/** Adds up the metrics of several processes, and returns them as text. */
export const textOfAll = (processes: readonly Collected[][]): Promise<string> =>
  AggregatorRegistry.aggregate([...processes]).metrics()
