import { setTimeout as sleep } from 'node:timers/promises'
import type { Fact, HttpConnector } from '../../../src/providers/connector/http-connector.ts'
import { openTransport } from '../../../src/providers/connector/transport.ts'
import type { ProviderName } from '../../../src/providers/connector/types.ts'
import { flutterwave } from '../../../src/providers/flutterwave/connector.ts'
import { paystack } from '../../../src/providers/paystack/connector.ts'
import { type Check, checksOf, type Observation, type SandboxRig } from './checks.ts'

/* Checks connectors in the test environments of their providers. */

/** What an account of a test environment can be asked for. */
type Known = Pick<SandboxRig, 'account' | 'unknownAccount' | 'ussdBank' | 'wrongValues'> &
  Partial<Pick<SandboxRig, 'bill'>>

interface Subject {
  connector: HttpConnector
  /** The environment variables with the key, and with another base URL, such as a double's. */
  key: string
  baseUrl: string
  known: Known
}

const accountAt = (code: string, id: string, name: string, accountNumber: string) => ({
  bank: { code, id, name },
  accountNumber,
  accountName: 'Ada Obi',
})

const SUBJECTS: readonly Subject[] = [
  {
    connector: paystack,
    key: 'PAYSTACK_TEST_KEY',
    baseUrl: 'PAYSTACK_BASE_URL',
    known: {
      account: accountAt('057', '21', 'Zenith Bank', '0000000000'),
      unknownAccount: accountAt('057', '21', 'Zenith Bank', '01'),
      ussdBank: '058',
      wrongValues: { secret_key: 'sk_test_0000000000000000000000000000000000000000' },
    },
  },
  {
    connector: flutterwave,
    key: 'FLUTTERWAVE_TEST_KEY',
    baseUrl: 'FLUTTERWAVE_BASE_URL',
    known: {
      account: accountAt('044', '1', 'Access Bank', '0690000031'),
      unknownAccount: accountAt('044', '1', 'Access Bank', '0000000001'),
      ussdBank: '058',
      wrongValues: { secret_key: 'FLWSECK_TEST-00000000000000000000000000000000-X' },
      bill: {
        item: { billerCode: 'BIL099', itemCode: 'AT099' },
        customerId: '+23490803840303',
      },
    },
  },
]

const PAUSE_MS = 4_000

interface Running {
  env: Readonly<Record<string, string | undefined>>
  print(line: string): void
  /** Lets a provider work for a moment; some seconds by default. */
  pause?(provider: ProviderName): Promise<void>
  /** The time at the provider; the real time by default. */
  now?(): Date
}

/**
 * Runs the checks for each provider whose key is set, and prints what they show about the facts
 * that only the provider can confirm. Returns the exit code: 0, also if no key is set; 1 if a check
 * failed or a fact is wrong; 2 if a key is not one of a test environment.
 */
export async function runSandbox(running: Running): Promise<number> {
  const { env, print } = running
  const chosen = SUBJECTS.filter(({ key }) => env[key])
  if (chosen.length === 0) {
    for (const line of HOW_TO) print(line)
    return 0
  }
  // A live key moves real money.
  for (const { connector, key } of chosen) {
    const fault = connector.credentials[0]!.faultOf(env[key]!, 'sandbox')
    if (!fault) continue
    print(`${key} ${fault}`)
    return 2
  }
  let isWell = true
  for (const subject of chosen) isWell = (await runSubject(running, subject)) && isWell
  return isWell ? 0 : 1
}

const HOW_TO = [
  'Checks the connectors in the real test environments of their providers. Set the key of an account',
  'there, and run it again:',
  '  PAYSTACK_TEST_KEY=sk_test_… npm run test:providers',
  '  FLUTTERWAVE_TEST_KEY=FLWSECK_TEST-…-X npm run test:providers',
  'It sends test payouts, and never prints a key. Live keys are refused.',
]

async function runSubject(running: Running, { connector, known, ...names }: Subject) {
  const { env, print, now = () => new Date(), pause = () => sleep(PAUSE_MS) } = running
  const values = { secret_key: env[names.key]! }
  const baseUrl = env[names.baseUrl] ?? connector.baseUrls.sandbox!
  const transport = openTransport({ allows: () => true })
  const rig: SandboxRig = {
    connector,
    ...known,
    call: (given = values) => ({
      tenant: { businessId: 1, live: false },
      connection: {
        id: 2,
        provider: connector.provider,
        businessId: 1,
        live: false,
        status: 'Active',
        environment: 'sandbox',
        name: connector.title,
        baseUrl,
        settings: {
          services: [],
          ussdBanks: [known.ussdBank],
          feesPaidBy: 'business',
          automaticSettlement: null,
        },
      },
      credentials: {
        current: (name) => given[name as keyof typeof given] ?? '',
        accepted: (name) => [given[name as keyof typeof given] ?? ''],
      },
      now: now(),
      http: transport.client({ baseUrl, deadlineMs: 30_000 }),
    }),
    pause: () => pause(connector.provider),
  }
  print(`${connector.title} at ${baseUrl}`)
  const seen: Observation[] = []
  let failed = 0
  for (const check of checksOf(connector)) {
    const problem = await problemOf(check, rig, seen)
    if (problem !== undefined) failed++
    print(`  ${problem === undefined ? 'passed' : 'FAILED'}  ${check.title}`)
    if (problem !== undefined) print(`          ${problem}`)
  }
  transport.close()
  const verdicts = connector.facts.map((fact) => verdictOf(fact, seen))
  print(`${connector.title}: what we only believe`)
  for (const { line } of verdicts) print(`  ${line}`)
  return failed === 0 && verdicts.every(({ isWrong }) => !isWrong)
}

async function problemOf(check: Check, rig: SandboxRig, seen: Observation[]) {
  try {
    seen.push(...(await check.run(rig)))
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : `${error}`
  }
}

function verdictOf({ id, mark, claim, ifWrong }: Fact, seen: readonly Observation[]) {
  const about = seen.filter(({ fact }) => fact === id)
  const against = about.find(({ isConfirmed }) => !isConfirmed)
  const name = `${id.padEnd(5)} [${mark}]`
  if (against) {
    const line = `${name} WRONG       ${claim} Instead: ${against.saw}. ${ifWrong}`
    return { isWrong: true, line }
  }
  const word = about.length > 0 ? 'confirmed' : 'not tried'
  return { isWrong: false, line: `${name} ${word.padEnd(11)} ${claim}` }
}
