import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { flutterwave } from '../doubles/flutterwave/flutterwave.ts'
import { paystack } from '../doubles/paystack/paystack.ts'
import { startDouble } from '../doubles/start.ts'
import { runSandbox } from './sandbox.ts'

const KEYS = { paystack: 'sk_test_double1', flutterwave: 'FLWSECK_TEST-double1-X' }

const stack = await startDouble((kit) =>
  paystack(kit, { secretKey: KEYS.paystack, transfers: 'at_once' }),
)
const wave = await startDouble((kit) =>
  flutterwave(kit, { secretKey: KEYS.flutterwave, billsShow: 'both' }),
)
stack.provider.owner.topUp(100_000_000n)
wave.provider.owner.topUp(100_000_000n)

const ENV = {
  paystack: { PAYSTACK_TEST_KEY: KEYS.paystack, PAYSTACK_BASE_URL: stack.baseUrl },
  flutterwave: { FLUTTERWAVE_TEST_KEY: KEYS.flutterwave, FLUTTERWAVE_BASE_URL: wave.baseUrl },
}

/** Runs the checks at a double. Returns the exit code, and what was printed. */
async function run(name: keyof typeof ENV) {
  const double = name === 'paystack' ? stack : wave
  const lines: string[] = []
  const code = await runSandbox({
    env: ENV[name],
    print: (line) => void lines.push(line),
    pause: () => double.advance(1_000),
    now: double.now,
  })
  const factsIn = (word: string) =>
    lines.flatMap((line) => (line.includes(` ${word} `) ? [line.trim().split(' ')[0]!] : []))
  return { code, lines, failed: lines.filter((line) => /FAILED/.test(line)), factsIn }
}

describe('the checks in the test environment of', () => {
  test('Paystack pass at its double, and say which facts they have seen', async () => {
    stack.provider.payer.payHosted(await page())
    const { code, lines, failed, factsIn } = await run('paystack')
    expect(failed).toEqual([])
    expect(factsIn('confirmed')).toEqual(['PS1', 'PS2', 'PS3', 'PS15', 'PS16'])
    expect(factsIn('WRONG')).toEqual([])
    expect(factsIn('not tried')).toContain('PS5')
    expect(code).toBe(0)
    expect(lines.join('\n')).not.toContain(KEYS.paystack)
  })

  test('Flutterwave pass at its double, and say which facts they have seen', async () => {
    const { code, lines, failed, factsIn } = await run('flutterwave')
    expect(failed).toEqual([])
    expect(factsIn('WRONG')).toEqual([])
    expect(factsIn('confirmed')).toEqual(
      expect.arrayContaining(['FW1', 'FW2', 'FW11', 'FW13', 'FW16', 'FW17']),
    )
    expect(code).toBe(0)
    expect(lines.join('\n')).not.toContain(KEYS.flutterwave)
  })

  test('a provider that is not as we believe say so, and end with an error', async () => {
    wave.provider.owner.set({ filtersTransfers: false })
    const { code, lines, factsIn } = await run('flutterwave')
    expect(factsIn('WRONG')).toEqual(['FW2'])
    expect(lines.join('\n')).toContain('unknown inconclusive')
    expect(code).toBe(1)
    wave.provider.owner.set({ filtersTransfers: true })
  })

  test('a provider fail if it does not do what a connector needs', async () => {
    stack.fault({ on: 'GET /transfer/verify/*', kind: 'html' })
    const { code, failed } = await run('paystack')
    expect(failed.join()).toContain('a transfer is paid once')
    expect(code).toBe(1)
  })
})

/** Starts a payment on Paystack's page. */
async function page(): Promise<string> {
  const response = await fetch(`${stack.baseUrl}/transaction/initialize`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEYS.paystack}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      email: 'ada@example.com',
      amount: 500_000,
      reference: 'a-payment-in-the-test-world',
    }),
  })
  const { data } = (await response.json()) as { data: { authorization_url: string } }
  return data.authorization_url
}

test.each([
  ['PAYSTACK_TEST_KEY', 'sk_live_abc'],
  ['FLUTTERWAVE_TEST_KEY', 'FLWSECK-abc-X'],
])('a live key in %s is refused before anything is sent', async (name, key) => {
  const lines: string[] = []
  const before = stack.calls.length + wave.calls.length
  const env = { ...ENV.paystack, ...ENV.flutterwave, [name]: key }
  expect(await runSandbox({ env, print: (line) => void lines.push(line) })).toBe(2)
  expect(lines).toEqual([expect.stringContaining('test mode')])
  expect(lines.join()).not.toContain(key)
  expect(stack.calls.length + wave.calls.length).toBe(before)
})

test('without keys, npm run test:providers says how to set them', async () => {
  const { PAYSTACK_TEST_KEY: _, FLUTTERWAVE_TEST_KEY: __, ...env } = process.env
  const script = ['test/providers/sandbox/run.ts']
  const { stdout } = await promisify(execFile)(process.execPath, script, { env })
  expect(stdout).toContain('PAYSTACK_TEST_KEY=sk_test_… npm run test:providers')
})
