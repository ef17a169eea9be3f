import { Counter, Gauge, Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { collectorOf, textOf, textOfAll } from './health-and-metrics.ts'

/** Returns the metrics of a process, in which one takes as long as the test wants. */
function process() {
  const registry = new Registry()
  const registers = [registry]
  const counter = new Counter({ name: 'payments_total', help: 'Payments.', registers })
  let waiting = Promise.withResolvers<number>()
  new Gauge({
    name: 'slow',
    help: 'A metric that reads the database.',
    registers,
    async collect() {
      this.set(await waiting.promise)
    },
  })
  return {
    ...{ counter, collect: collectorOf(registry, 20) },
    respond: (value: number) => waiting.resolve(value),
    fail: () => waiting.reject(new Error('The database is gone.')),
    wait: () => {
      waiting = Promise.withResolvers()
    },
  }
}

test('a slow metric has its last values, and the others are up to date', async () => {
  const { counter, collect, respond, wait } = process()
  counter.inc()
  const first = await textOf(await collect())
  expect(first).toContain('payments_total 1\n')
  expect(first).not.toContain('slow')

  respond(7)
  expect(await textOf(await collect())).toContain('slow 7\n')
  wait()
  counter.inc()
  const third = await textOf(await collect())
  expect(third).toContain('payments_total 2\n')
  expect(third).toContain('slow 7\n')
  respond(8)
  expect(await textOf(await collect())).toContain('slow 8\n')
})

test('a metric that fails late does no harm, and one that fails in time is reported', async () => {
  const { collect, fail } = process()
  expect(await textOf(await collect())).not.toContain('slow')
  fail()
  await expect(collect()).rejects.toThrow('The database is gone.')
})

test('the counters of a process with a slow metric are added to those of others', async () => {
  const [one, other] = [process(), process()]
  one.counter.inc(2)
  other.counter.inc(3)
  one.respond(1)
  const text = await textOfAll([await one.collect(), await other.collect()])
  expect(text).toContain('payments_total 5\n')
  expect(text).toContain('slow 1\n')
})
