import { Counter, Gauge, Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { collectorOf, textOf, textOfAll } from './health-and-metrics.ts'

/** Returns the metrics of a process, in which one takes as long as the test wants. */
function process() {
  const registry = new Registry()
  const registers = [registry]
  const counter = new Counter({ name: 'payments_total', help: 'Payments.', registers })
  let waiting = Promise.withResolvers<number>()
  const failed: string[] = []
  new Gauge({
    name: 'slow',
    help: 'A metric that reads the database.',
    registers,
    async collect() {
      this.set(await waiting.promise)
    },
  })
  return {
    counter,
    failed,
    collect: collectorOf(registry, 20, (name) => failed.push(name)),
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

test('a metric that fails has its last values, and the others are up to date', async () => {
  const { counter, collect, failed, respond, fail, wait } = process()
  expect(await textOf(await collect())).not.toContain('slow')
  fail()
  counter.inc()
  const without = await textOf(await collect())
  expect(without).toContain('payments_total 1\n')
  expect(without).not.toContain('slow')
  // The first attempt failed late.
  expect(failed).toEqual(['slow', 'slow'])
  wait()
  respond(7)
  await collect()
  wait()
  fail()
  expect(await textOf(await collect())).toContain('slow 7\n')
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
