import { newSentReference } from '../../../src/providers/connector/connector.fixture.ts'
import type {
  BankAccount,
  Call,
  ChargeOrder,
  HttpConnector,
  PayoutOrder,
  PayoutState,
} from '../../../src/providers/connector/http-connector.ts'
import type {
  EntryPage,
  Outcome,
  ProviderEntry,
  ProviderRefs,
  SentOrder,
} from '../../../src/providers/connector/types.ts'

/* What a provider's test environment can show about a connector, and about the provider. */

export interface SandboxRig {
  connector: HttpConnector
  call(values?: Readonly<Record<string, string>>): Call
  /** A key of the right form that no account has. */
  wrongValues: Readonly<Record<string, string>>
  /** An account that the test environment pays, and one that nobody has. */
  account: BankAccount
  unknownAccount: BankAccount
  /** Our code of a bank with USSD codes. */
  ussdBank: string
  /** An item of a biller, with a customer that the test environment knows. */
  bill?: { item: { billerCode: string; itemCode: string }; customerId: string }
  /** Lets the provider work for a moment. */
  pause(): Promise<void>
}

/** What a check saw about a fact. */
export interface Observation {
  fact: string
  isConfirmed: boolean
  saw: string
}

export interface Check {
  title: string
  /** Returns what it saw about facts. Throws if the connector does not do what it must. */
  run(rig: SandboxRig): Promise<readonly Observation[]>
}

const LEAST_MINOR = 10_000n
const TRIES = 15
const DAY_MS = 24 * 3_600_000

/** The checks for a connector; each needs only what the connector has. */
export function checksOf({ payouts, collections, refunds, bills }: HttpConnector): Check[] {
  return [
    ACCOUNT,
    LISTS,
    ...(collections ? [CHARGES] : []),
    ...(payouts ? [PAYOUTS, BATCHES, NO_MONEY, NO_ACCOUNT] : []),
    ...(refunds ? [REFUNDS] : []),
    ...(bills ? [BILLS] : []),
  ]
}

// ------------------------------------------------------------------------------ the account

const ACCOUNT: Check = {
  title: 'the key belongs to the test environment, and another one is refused',
  async run({ connector, call, wrongValues }) {
    const { environment } = valueIn(await connector.probe(call()))
    expectThat(environment === 'sandbox', `the key belongs to ${environment}`)
    const outcome = await connector.balances!.balances(call(wrongValues))
    expectThat(codeOf(outcome) === 'credentials_refused', shown(outcome))
    return []
  },
}

const LISTS: Check = {
  title: 'the lists of banks, balances and payments can be read',
  async run({ connector, call }) {
    const banks = valueIn(await connector.accounts!.banks(call()))
    expectThat(banks.length > 0, 'there are no banks')
    valueIn(await connector.balances!.balances(call()))
    for (const kind of connector.reports?.kinds ?? []) await entriesOf({ connector, call }, kind, 1)
    return []
  },
}

// ----------------------------------------------------------------------------------- charges

const CHARGES: Check = {
  title: 'a payment can be started in each way, is pending until it is paid, and is unique',
  async run({ connector, call, ussdBank }) {
    const { collections, provider } = connector
    const starts: ((order: ChargeOrder) => Promise<Outcome<unknown>> | undefined)[] = [
      (order) =>
        collections!.openVirtualAccount?.(call(), { ...order, accountName: 'Tradepost test' }),
      (order) => collections!.startUssd?.(call(), { ...order, bankCode: ussdBank }),
      (order) =>
        collections!.openHostedPage?.(call(), { ...order, returnUrl: 'https://example.com/' }),
    ]
    let hasUnpaid = false
    for (const start of starts) {
      const order = chargeOrder(call().now)
      const outcome = await start(order)
      // Not every account has every channel.
      if (outcome?.kind !== 'done') continue
      const found = await collections!.lookUpCharge(call(), sentOf(call(), order, outcome))
      expectThat(found.kind === 'done' && found.value.status === 'Pending', shown(found))
      hasUnpaid = true
    }
    expectThat(hasUnpaid, 'no payment could be started')
    const nobody = sentOf(call(), chargeOrder(call().now))
    const unknown = await collections!.lookUpCharge(call(), nobody)
    // Of what nobody has tried to pay, Flutterwave has no transaction.
    const expected = provider === 'flutterwave' ? 'done' : 'unknown_order'
    expectThat(codeOf(unknown) === expected, `a payment never started: ${shown(unknown)}`)
    return seen(connector, { flutterwave: ['FW17'] }, true, 'an unpaid charge is pending')
  },
}

// ----------------------------------------------------------------------------------- payouts

const PAYOUTS: Check = {
  title: 'a transfer is paid once, is found by its reference, and its reference is used up',
  async run(rig) {
    const { connector, call } = rig
    const { payOut, lookUpPayout } = connector.payouts!
    const order = payoutOrder(rig.account)
    const outcome = await payOut(call(), order)
    valueIn(outcome)
    const ended = await endOf(rig, order, outcome)
    const sent = sentOf(call(), order)
    const byReference = await lookUpPayout(call(), sent)
    const nobody = await lookUpPayout(call(), sentOf(call(), payoutOrder(rig.account)))
    const isFiltered = byReference.kind === 'done' && codeOf(nobody) === 'unknown_order'
    const repeated = await payOut(call(), order)
    const isRefused = repeated.kind === 'unknown' && repeated.reason === 'duplicate'
    const listed = await entriesOf(rig, 'payout', DAY_MS)
    expectThat(
      listed.some(({ reference }) => reference === order.reference),
      'the transfer is not in the list of the day under our reference',
    )
    return [
      ...seen(connector, { paystack: ['PS10'] }, ended.status !== 'Blocked' ? undefined : true, ''),
      ...seen(connector, { flutterwave: ['FW13'] }, ended.status === 'Successful', ended.status),
      ...seen(
        connector,
        { flutterwave: ['FW2'] },
        isFiltered,
        `${shown(byReference)}, ${shown(nobody)}`,
      ),
      ...seen(
        connector,
        { paystack: ['PS1', 'PS2'], flutterwave: ['FW1'] },
        isRefused,
        `a repeated reference: ${shown(repeated)}`,
      ),
    ]
  },
}

const BATCHES: Check = {
  title: 'each transfer of a batch is found',
  async run(rig) {
    const { connector, call } = rig
    const { payOutMany } = connector.payouts!
    if (!payOutMany) return []
    const orders = [payoutOrder(rig.account), payoutOrder(rig.account)]
    const outcomes = valueIn(await payOutMany(call(), orders))
    for (const [i, order] of orders.entries()) await endOf(rig, order, outcomes[i]!)
    return []
  },
}

const NO_MONEY: Check = {
  title: 'a transfer of more than the balance stays unpaid',
  async run(rig) {
    const { connector, call } = rig
    const balances = valueIn(await connector.balances!.balances(call()))
    const has_minor = balances.find(({ currency }) => currency === 'NGN')?.available_minor ?? 0n
    const order = payoutOrder(rig.account, has_minor + 100_000_000n)
    const outcome = await connector.payouts!.payOut(call(), order)
    const ended = outcome.kind === 'done' ? await endOf(rig, order, outcome) : undefined
    expectThat(ended?.status !== 'Successful', 'the provider has paid it')
    const why = ended ? ended.notNow : outcome.kind === 'notNow' ? outcome.code : undefined
    const isUnderstood = why === 'insufficient_provider_balance'
    const saw = ended ? `${ended.status}: ${ended.message}` : `${shown(outcome)}`
    const facts = { paystack: ['PS15'], flutterwave: ended ? ['FW16', 'FW21'] : ['FW21'] }
    return seen(connector, facts, isUnderstood, saw)
  },
}

const NO_ACCOUNT: Check = {
  title: 'a transfer to an account that nobody has is not paid',
  async run(rig) {
    const { connector, call } = rig
    const outcome = await connector.payouts!.payOut(call(), payoutOrder(rig.unknownAccount))
    if (outcome.kind === 'done') return []
    const isUnderstood = outcome.kind === 'refused' && outcome.code !== 'bad_request'
    return seen(
      connector,
      { paystack: ['PS16'], flutterwave: ['FW22'] },
      isUnderstood,
      shown(outcome),
    )
  },
}

/** Looks a payout up until it has ended, or for as long as a test waits. */
async function endOf(
  { connector, call, pause }: SandboxRig,
  order: PayoutOrder,
  outcome: Outcome<PayoutState>,
): Promise<PayoutState> {
  const sent = sentOf(call(), order, outcome)
  for (let i = 0; ; i++) {
    await pause()
    const state = valueIn(await connector.payouts!.lookUpPayout(call(), sent))
    if (i === TRIES || !['Pending'].includes(state.status)) return state
  }
}

// ----------------------------------------------------------------------------- refunds, bills

const REFUNDS: Check = {
  title: 'a refund is found without its id',
  async run(rig) {
    const { connector, call, pause } = rig
    const charges = await entriesOf(rig, 'charge', 30 * DAY_MS)
    const paid = charges.find(
      ({ status, amount_minor, reference }) =>
        status === 'Successful' && amount_minor >= LEAST_MINOR && reference !== null,
    )
    // Someone has to pay in the test environment first.
    if (!paid) return []
    const { reference, amount_minor, currency, providerId: id, at } = paid
    const charge = { reference: reference!, amount_minor, currency, refs: { id }, sentAt: at }
    const order = {
      reference: newSentReference('RFD'),
      charge,
      paymentId: id,
      currency,
      amount_minor: LEAST_MINOR / 2n,
      reason: null,
    }
    const outcome = await connector.refunds!.refund(call(), order)
    if (outcome.kind !== 'done') return []
    await pause()
    const sent = { ...sentOf(call(), order), charge }
    const found = await connector.refunds!.lookUpRefund(call(), sent)
    const facts = { paystack: ['PS3'], flutterwave: ['FW6'] }
    return seen(connector, facts, found.kind === 'done', `by our note: ${shown(found)}`)
  },
}

const BILLS: Check = {
  title: 'what billers sell is listed, and a bill is found by its reference',
  async run({ connector, call, bill, pause }) {
    const { items, vend, lookUpVend } = connector.bills!
    const all = valueIn(await items(call()))
    expectThat(all.length > 0, 'there are no items')
    if (!bill) return []
    const order = {
      reference: newSentReference('UTL'),
      ...bill,
      amount_minor: LEAST_MINOR,
      currency: 'NGN',
    }
    const outcome = await vend(call(), order)
    // Without an allowed address, or without money, nothing can be bought.
    if (outcome.kind !== 'done') return []
    await pause()
    const found = await lookUpVend(call(), sentOf(call(), order, outcome))
    return seen(connector, { flutterwave: ['FW11'] }, found.kind === 'done', shown(found))
  },
}

// ------------------------------------------------------------------------------------ shared

const chargeOrder = (now: Date): ChargeOrder => ({
  reference: newSentReference('TXN'),
  amount_minor: LEAST_MINOR,
  currency: 'NGN',
  payer: { email: 'tradepost@example.com', name: 'Ada Obi', phone: '08012345678' },
  description: 'A test',
  expiresAt: new Date(now.getTime() + 30 * 60_000),
})

const payoutOrder = (to: BankAccount, amount_minor = LEAST_MINOR): PayoutOrder => ({
  reference: newSentReference('TRF'),
  amount_minor,
  currency: 'NGN',
  to,
  recipient: null,
  narration: 'A test',
})

type Ordered = Pick<SentOrder, 'reference' | 'amount_minor' | 'currency'>

const sentOf = (
  { now }: Call,
  { reference, amount_minor, currency }: Ordered,
  outcome?: Outcome<unknown>,
): SentOrder => {
  const refs: ProviderRefs = outcome?.kind === 'done' ? (outcome.refs ?? {}) : {}
  return { reference, amount_minor, currency, refs, sentAt: now }
}

/** Reads a provider's list from some time ago until now. */
async function entriesOf(
  { connector, call }: Pick<SandboxRig, 'connector' | 'call'>,
  kind: ProviderEntry['kind'],
  ms: number,
): Promise<ProviderEntry[]> {
  const { reports } = connector
  if (!reports?.kinds.includes(kind)) return []
  const until = new Date(call().now.getTime() + 60_000)
  const range = { from: new Date(until.getTime() - ms - 60_000), until }
  const found: ProviderEntry[] = []
  let cursor: string | null = null
  do {
    const page: EntryPage = valueIn(await reports.entries(call(), kind, range, cursor))
    found.push(...page.entries)
    cursor = page.next
  } while (cursor !== null && found.length < 1_000)
  return found
}

type FactsOf = Readonly<Partial<Record<string, readonly string[]>>>

/** Undefined if nothing was seen about the facts. */
const seen = (
  { provider }: HttpConnector,
  facts: FactsOf,
  isConfirmed: boolean | undefined,
  saw: string,
): Observation[] =>
  isConfirmed === undefined
    ? []
    : (facts[provider] ?? []).map((fact) => ({ fact, isConfirmed, saw }))

function expectThat(isSo: boolean, problem: string): void {
  if (!isSo) throw new Error(problem)
}

function valueIn<T>(outcome: Outcome<T>): T {
  if (outcome.kind === 'done') return outcome.value
  throw new Error(shown(outcome))
}

function codeOf(outcome: Outcome<unknown>): string {
  if (outcome.kind === 'done') return 'done'
  return outcome.kind === 'unknown' ? outcome.reason : outcome.code
}

function shown(outcome: Outcome<unknown>): string {
  if (outcome.kind === 'done') return 'done'
  const says = `${outcome.kind} ${codeOf(outcome)}`
  return outcome.message ? `${says}: ${outcome.message}` : says
}
