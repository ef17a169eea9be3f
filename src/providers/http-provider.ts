import { isPublicAddress } from '../safe-fetch/guard.ts'
import { matchBanks } from './bank-lists.ts'
import type { Calls } from './calls/calls.ts'
import { slotsOf } from './calls/limits.ts'
import { servicesOf } from './connections.ts'
import {
  type Call,
  type CallClass,
  type Credentials,
  DEADLINE_MS_MAX,
  type ChargeOrder as HttpChargeOrder,
  type HttpConnector,
  type ProbeReport,
  type ProviderBank,
} from './connector/http-connector.ts'
import { openTransport } from './connector/transport.ts'
import type {
  ChargeOrder,
  Connection,
  Connector,
  Moment,
  Outcome,
  PayoutOrder,
  VirtualAccount,
} from './connector/types.ts'
import {
  type CredentialDeps,
  credentialsOf,
  findCredentials,
  openCredentials,
} from './credentials.ts'
import type { ConnectorFactory } from './providers.ts'

/** Which hosts connections can use instead of their provider's own. */
export interface BaseUrls {
  /** Whether this machine counts, as it does for an operator. */
  allowsLoopback: boolean
  /** With a port if it is not the usual one: PROVIDER_HOSTS. */
  hosts: readonly string[]
}

export interface HttpProviders {
  /** Returns the operations of a connector for one of its connections. */
  bind(connector: HttpConnector): ConnectorFactory
  /** Checks an account, with values that need not be stored yet. Changes nothing. */
  probe(
    connector: HttpConnector,
    connection: Connection,
    values?: Readonly<Record<string, string>>,
  ): Promise<Outcome<ProbeReport>>
  close(): void
}

/** Opens what calls providers over HTTP with the credentials of a connection. */
export function openHttpProviders(deps: CredentialDeps, calls: Calls): HttpProviders {
  const stored = openCredentials(deps)
  const outside = openTransport({ allows: isPublicAddress })
  // The operator has allowed the base URL before it was stored.
  const anywhere = openTransport({ allows: () => true })

  async function open(
    connector: HttpConnector,
    connection: Connection,
    kind: CallClass,
    { about, given }: { about?: Moment; given?: Credentials } = {},
  ): Promise<Call | Outcome<never>> {
    const credentials = given ?? (await stored(connection.id))
    const missing = connector.credentials.find(
      ({ name, isRequired }) => isRequired && credentials.accepted(name).length === 0,
    )
    if (missing) {
      const message = `The connection has no ${missing.label.toLowerCase()}.`
      return { kind: 'notNow', code: 'credentials_refused', message, isUnsent: true }
    }
    const { baseUrl, environment, businessId, live } = connection
    const transport = baseUrl === connector.baseUrls[environment] ? outside : anywhere
    const calling = { connection, limits: connector.limits, kind, about }
    // A connection that is being tried may not be stored yet, and a person is waiting.
    const options = given ? {} : calls.optionsFor(calling)
    const deadlineMs = connector.deadlinesMs[kind]
    return {
      tenant: about?.tenant ?? { businessId: businessId!, live },
      connection,
      credentials,
      now: about?.now ?? deps.clock.now(),
      http: calls.resting(transport.client({ baseUrl, deadlineMs, ...options }), calling),
    }
  }

  function bind(connector: HttpConnector): ConnectorFactory {
    if (Math.max(...Object.values(connector.deadlinesMs)) > DEADLINE_MS_MAX) {
      throw new Error(`Calls to ${connector.title} may take longer than orders are claimed for`)
    }
    const factory = (connection: Connection) =>
      operationsOf(connector, connection, (kind, about) =>
        open(connector, connection, kind, about && { about }),
      )
    return Object.assign(factory, { offers: offersOf(connector) })
  }

  return {
    bind,
    async probe(connector, connection, values) {
      // Stored values may have been replaced a moment ago.
      const given = values ? credentialsOf(values) : await findCredentials(deps, connection.id)
      const call = await open(connector, connection, 'resolve', { given })
      if (isOutcome(call)) return call
      const outcome = await connector.probe(call)
      if (outcome.kind === 'done') calls.reset(connection.id)
      return outcome
    },
    close() {
      outside.close()
      anywhere.close()
    },
  }
}

type Open = (kind: CallClass, about?: Moment) => Promise<Call | Outcome<never>>

const isOutcome = (opened: Call | Outcome<never>): opened is Outcome<never> => 'kind' in opened

function operationsOf(connector: HttpConnector, connection: Connection, open: Open): Connector {
  const { absence, startIsRepeatable, collections, payouts, refunds, accounts, bills } = connector

  /** Calls an operation, unless the connector does not have it or there are no credentials. */
  async function run<T>(
    kind: CallClass,
    about: Moment | undefined,
    operation: ((call: Call) => Promise<Outcome<T>>) | false | undefined,
  ): Promise<Outcome<T>> {
    if (!operation) return unsupported(connector.title)
    const call = await open(kind, about)
    return isOutcome(call) ? call : operation(call)
  }

  const { openVirtualAccount, startUssd, openHostedPage } = collections ?? {}
  const { cancelPayout, payOutMany, batchMax } = payouts ?? {}
  const { retryRefund } = refunds ?? {}
  const payable = <Order extends ChargeOrder>(order: Order) => withPayer(order, connection)
  return {
    absence,
    startIsRepeatable,
    pageSources: pageSourcesOf(connector, connection),
    slots: slotsOf(connector.limits),
    openVirtualAccount: (about, order) =>
      run(
        'open',
        about,
        openVirtualAccount &&
          (async (call) => opened(await openVirtualAccount(call, payable(order)))),
      ),
    startUssd: (about, order) =>
      run(
        'open',
        about,
        startUssd &&
          (async (call) => {
            const bankCode = order.bankCode ?? connection.settings.ussdBanks[0] ?? null
            return listed(await startUssd(call, { ...payable(order), bankCode }))
          }),
      ),
    ...(openHostedPage && {
      openHostedPage: (about, order) =>
        run('open', about, (call) => openHostedPage(call, payable(order))),
    }),
    lookUpCharge: (about, sent) =>
      run('lookUp', about, collections && ((call) => collections.lookUpCharge(call, sent))),
    resolveAccount: (bankCode, accountNumber) =>
      run(
        'resolve',
        undefined,
        accounts &&
          ((call) => accounts.resolveAccount(call, { bank: bankOfCode(bankCode), accountNumber })),
      ),
    ...(accounts && { listBanks: () => run('list', undefined, (call) => accounts.banks(call)) }),
    payOut: (about, order) =>
      run('order', about, payouts && ((call) => payouts.payOut(call, payoutOf(order)))),
    ...(payOutMany && {
      batchMax: batchMax ?? 1,
      payOutMany: (about, orders) =>
        run('order', about, (call) => payOutMany(call, orders.map(payoutOf))),
    }),
    lookUpPayout: (about, sent) =>
      run('lookUp', about, payouts && ((call) => payouts.lookUpPayout(call, sent))),
    ...(cancelPayout && {
      cancelPayout: (about, sent) => run('order', about, (call) => cancelPayout(call, sent)),
    }),
    refund: (about, order) =>
      run('order', about, refunds && ((call) => refunds.refund(call, order))),
    lookUpRefund: (about, sent) =>
      run('lookUp', about, refunds && ((call) => refunds.lookUpRefund(call, sent))),
    ...(retryRefund && {
      retryRefund: (about, sent, { bankCode, bankId = null, accountNumber, accountName }) => {
        const bank = { ...bankOfCode(bankCode), id: bankId }
        return run('order', about, (call) =>
          retryRefund(call, sent, { bank, accountNumber, accountName }),
        )
      },
    }),
    ...(bills && { listItems: () => run('list', undefined, (call) => bills.items(call)) }),
    enquireCustomer: (codes, customerId) =>
      run(
        'resolve',
        undefined,
        bills && ((call) => bills.lookUpCustomer(call, { item: itemOfCodes(codes), customerId })),
      ),
    vend: (about, { packageSlug, ...order }) =>
      run(
        'order',
        about,
        bills && ((call) => bills.vend(call, { ...order, item: itemOfCodes(packageSlug) })),
      ),
    lookUpVend: (about, sent) =>
      run('lookUp', about, bills && ((call) => bills.lookUpVend(call, sent))),
    ...booksOf(connector, (operation) => run('list', undefined, operation)),
    ...disputesOf(connector, run),
  }
}

type Run = <T>(operation: (call: Call) => Promise<Outcome<T>>) => Promise<Outcome<T>>

/** What the provider says about the account as a whole. */
function booksOf(
  { balances, reports }: HttpConnector,
  run: Run,
): Pick<Connector, 'balances' | 'reports'> {
  const { settled } = reports ?? {}
  return {
    ...(balances && { balances: { balances: () => run((call) => balances.balances(call)) } }),
    ...(reports && {
      reports: {
        kinds: reports.kinds,
        entries: (_, ...wanted) => run((call) => reports.entries(call, ...wanted)),
        ...(settled && { settled: (_, ...wanted) => run((call) => settled(call, ...wanted)) }),
      },
    }),
  }
}

type RunAs = <T>(
  kind: CallClass,
  about: Moment | undefined,
  operation: (call: Call) => Promise<Outcome<T>>,
) => Promise<Outcome<T>>

function disputesOf(
  { disputes }: HttpConnector,
  run: RunAs,
): Pick<Connector, 'listDisputes' | 'lookUpDispute' | 'respondToDispute'> {
  const { respond } = disputes ?? {}
  return {
    ...(disputes && {
      listDisputes: (about, range, cursor) =>
        run('list', about, (call) => disputes.list(call, range, cursor)),
      lookUpDispute: (about, ...wanted) =>
        run('lookUp', about, (call) => disputes.lookUpDispute(call, ...wanted)),
    }),
    ...(respond && {
      respondToDispute: (about, id, response) =>
        run('order', about, (call) => respond(call, id, response)),
    }),
  }
}

/** A stand-in for a provider has its pages on the same host, on any port. */
function pageSourcesOf(
  { pageSources, baseUrls }: HttpConnector,
  { baseUrl, environment }: Connection,
): readonly string[] {
  if (baseUrl === baseUrls[environment]) return pageSources
  const { protocol, hostname } = new URL(baseUrl)
  return [...pageSources, `${protocol}//${hostname}:*`]
}

const EVERY_AMOUNT = { least_minor: 0n, most_minor: null }

const offersOf = (connector: HttpConnector): NonNullable<Connector['offers']> =>
  Object.fromEntries(
    servicesOf(connector).map((service) => [service, connector.amounts[service] ?? EVERY_AMOUNT]),
  )

const unsupported = (title: string): Outcome<never> => ({
  kind: 'refused',
  code: 'unsupported',
  message: `${title} cannot do this through Tradepost.`,
})

/** Nobody reads the emails of this domain. */
const NOBODY = 'payer@example.com'

/** Providers require an email address, which payers need not give us. */
const withPayer = <Order extends ChargeOrder>(
  order: Order,
  { settings }: Connection,
): Order & HttpChargeOrder => ({
  ...order,
  payer: { ...order.payer, email: order.payer.email ?? settings.payerEmail ?? NOBODY },
  description: 'Payment',
})

/** A bank that is not in our list has no code. */
function opened(outcome: Outcome<VirtualAccount>): Outcome<VirtualAccount> {
  if (outcome.kind !== 'done') return outcome
  const { bankName } = outcome.value
  const bankCode = outcome.value.bankCode ?? codeOfName(bankName) ?? null
  return { ...outcome, value: { ...outcome.value, bankCode } }
}

const codeOfName = (name: string): string | undefined =>
  matchBanks([{ code: '', id: null, name, nipCode: null, isActive: true }]).get('')

const listed = <T>(outcome: Outcome<readonly T[]>): Outcome<T[]> =>
  outcome.kind === 'done' ? { ...outcome, value: [...outcome.value] } : outcome

const bankOfCode = (code: string): ProviderBank => ({ code, id: null, name: '' })

/** `BILLER ITEM`, which `item-lists.ts` puts in place of our slug. */
function itemOfCodes(codes: string): { billerCode: string; itemCode: string } {
  const [billerCode = '', itemCode = ''] = codes.split(' ')
  return { billerCode, itemCode }
}

const payoutOf = ({ bankCode, accountNumber, accountName, ...order }: PayoutOrder) => ({
  ...order,
  to: { bank: bankOfCode(bankCode), accountNumber, accountName },
  recipient: null,
})
