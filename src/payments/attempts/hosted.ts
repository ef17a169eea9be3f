import { createHash } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { merchantOf, type PublicProfile, publicProfileOf } from '../../business/account/branding.ts'
import { clockOffsetMs } from '../../business/account/payment-settings.ts'
import type { Db } from '../../db/database.ts'
import type { Log } from '../../db/log.ts'
import type { Deps } from '../../deps.ts'
import { localeOf, mountVersion, servePages, takeForms } from '../../http/pages.ts'
import type { PayerLimits } from '../../http/rate-limit.ts'
import type { Tenant } from '../../lib/caller.ts'
import { addMs } from '../../lib/clock.ts'
import type { Minor } from '../../lib/money.ts'
import { invalid } from '../../lib/problem.ts'
import { isAmong, isLanguage, type Language, type PageContext, textsOf } from '../../pages/pages.ts'
import type { PaymentAttempt, PaymentMade } from '../../pages/views.ts'
import { BANKS } from '../../providers/banks/banks.ts'
import type { Channel } from '../../providers/connector/types.ts'
import { type MethodChoice, RETURNED } from './attempt.ts'
import { type LookUpDeps, lookUpCardPayments } from './jobs.ts'
import { dismissOpenAttempts, selectLanguage, updateLanguage, upsertLanguage } from './queries.ts'
import { type Attempt, latestAttempt, type TransactionRow } from './read.ts'

export type Form = Record<string, unknown>

interface HostedContext {
  tenant: Tenant
  terms: PublicProfile
  /** The time to use: the test clock's time for test data. */
  now: Date
  /** The real time, with which a merchant's server checks a signature. */
  realNow: Date
  /** Whether the payer has come back from a provider's page. */
  hasReturned?: boolean
}

export async function hostedContext(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  tenant: Tenant,
): Promise<HostedContext> {
  const [terms, offsetMs] = await Promise.all([
    publicProfileOf(db, tenant),
    clockOffsetMs(db, tenant),
  ])
  const realNow = clock.now()
  return { tenant, terms, now: addMs(realNow, offsetMs), realNow }
}

export interface HostedRecord<Row> extends HostedContext {
  row: Row
}

/** A page to send. The default status is 200. */
export interface PageResponse {
  status?: number
  /** Where else forms of the page can lead, as sources for its Content Security Policy. */
  formTargets?: readonly string[]
  render(ctx: PageContext): string
}

/**
 * Handles a form. Returns a page to send, or the suffix of the page's URL to which the payer is
 * redirected.
 */
export type FormHandler<Row> = (
  opened: HostedRecord<Row>,
  form: Form,
) => Promise<PageResponse | string>

interface OpenedAttempt {
  /** The URL of the provider's page, where the payer continues. */
  payUrl: string | undefined
}

/** A page on which payers pay for one thing. */
export interface HostedPage<Row extends { id: number }> {
  /** For example `/i/:token`. The URLs of the page's forms and version start with it. */
  url: string
  purpose: string
  /** Throws 404 for an unknown token. */
  open(token: string): Promise<HostedRecord<Row>>
  show(opened: HostedRecord<Row>, query: Form): Promise<PageResponse>
  viewed?(opened: HostedRecord<Row>): Promise<void>
  /** Returns a value that changes whenever anything that the payer sees changes. */
  version(opened: HostedRecord<Row>): Promise<string>
  /** Opens an attempt. If this is not possible, returns the response to send instead. */
  pay(...args: Parameters<FormHandler<Row>>): Promise<PageResponse | string | OpenedAttempt>
  /**
   * Returns the query that keeps the payer's choice in the page's URL after they dismiss an
   * attempt.
   */
  choiceIn?(row: Row, attempt: Attempt | undefined): string
  /** Forms that only this page has, keyed by the last segment of their URLs. */
  forms?: Record<string, FormHandler<Row>>
  /** Forms that have their own page. For all others, a GET redirects to the main page. */
  formPages?: Record<string, (opened: HostedRecord<Row>) => Promise<PageResponse | undefined>>
}

/**
 * Simulates the payer's bank for the open attempt, from the test-mode buttons on payer pages.
 * Throws 404 in live mode.
 */
type SimulateAttempt = (
  caller: Tenant & { now: Date },
  attempt: Attempt | undefined,
  outcome: 'success' | 'failed',
) => Promise<void>

export type HostedDeps = Deps & LookUpDeps & { log: Log; simulateAttempt: SimulateAttempt }

/**
 * Mounts a hosted page with its forms and versions. Errors are shown as pages in the same design.
 */
export function mountHosted<Row extends { id: number }>(
  server: FastifyInstance,
  deps: HostedDeps,
  limits: PayerLimits,
  hosted: HostedPage<Row>,
  mountMore: (pages: FastifyInstance, send: ReturnType<typeof servePages>) => void,
): void {
  const { url, purpose } = hosted
  const { db } = deps
  type Request = FastifyRequest<{ Params: Record<string, string>; Querystring: Form }>
  const tokenOf = (params: Request['params']) => Object.values(params)[0] ?? ''
  async function open(params: Request['params']): Promise<HostedRecord<Row>> {
    const opened = await hosted.open(tokenOf(params))
    await deps.pauses.requireOpen(opened.tenant)
    return opened
  }
  /** Looks up what the payer has paid by card. If that fails, the payer still sees the page. */
  async function lookUp({ row, tenant, now }: HostedRecord<Row>): Promise<void> {
    try {
      await lookUpCardPayments(deps, { ...tenant, now }, purpose, row.id)
    } catch (err) {
      deps.log.warn({ err, purpose, id: row.id }, 'a card payment was not looked up')
    }
  }
  const forms: Record<string, FormHandler<Row>> = {
    async 'cancel-payment'({ row, tenant, now }) {
      // A dismissed attempt can still be paid.
      const attempt = hosted.choiceIn && (await latestAttempt(db, tenant, purpose, row.id))
      await dismissOpenAttempts(db, tenant, purpose, row.id, now)
      return hosted.choiceIn?.(row, attempt) ?? ''
    },
    async simulate({ row, tenant, now }, { outcome }) {
      const attempt = await latestAttempt(db, tenant, purpose, row.id)
      const ending = outcome === 'failed' ? 'failed' : 'success'
      await deps.simulateAttempt({ ...tenant, now }, attempt, ending)
      return ''
    },
    ...hosted.forms,
  }

  void server.register(async (pages) => {
    await takeForms(pages, 'plain')
    const sending = servePages(pages, limits.take)
    const send = (
      request: FastifyRequest,
      reply: FastifyReply,
      { status = 200, formTargets, render }: PageResponse,
    ) => sending.page(request, reply.code(status), render, formTargets)
    const toPage = (params: Request['params'], reply: FastifyReply, end = '') =>
      sending.back(reply, url.replace(/:.*/, encodeURIComponent(tokenOf(params))) + end)

    pages.get(url, async (request: Request, reply) => {
      const opened = await open(request.params)
      const isNoted = request.method === 'GET' && !(await deps.pauses.isReadOnly())
      if (isNoted) await hosted.viewed?.(opened)
      const hasReturned = 'returned' in request.query
      return send(request, reply, await hosted.show({ ...opened, hasReturned }, request.query))
    })
    // The provider's page leads here. Anyone can write the query, so it is ignored.
    pages.get(url + RETURNED, async (request: Request, reply) => {
      const opened = await open(request.params)
      if (request.method === 'GET') {
        limits.takeOfLink(tokenOf(request.params))
        if (!(await deps.pauses.isReadOnly())) await lookUp(opened)
      }
      return toPage(request.params, reply, '?returned=1')
    })
    const versionOf = async (params: Request['params']) => hosted.version(await open(params))
    mountVersion(pages, url, versionOf, limits.networkOf)

    const mountForm = (
      path: string,
      act: (
        ...args: [...Parameters<FormHandler<Row>>, Request]
      ) => Promise<PageResponse | string | { payUrl: string }>,
    ) => {
      pages.post(`${url}/${path}`, async (request: Request, reply) => {
        limits.takeOfLink(tokenOf(request.params))
        const done = await act(await open(request.params), (request.body ?? {}) as Form, request)
        if (typeof done === 'string') return toPage(request.params, reply, done)
        if ('render' in done) return send(request, reply, done)
        return sending.back(reply, done.payUrl)
      })
      // Anyone who reloads or shares a form's URL gets back to the page.
      pages.get(`${url}/${path}`, async (request: Request, reply) => {
        const own = hosted.formPages?.[path]
        const shown = own && (await own(await open(request.params)))
        return shown ? send(request, reply, shown) : toPage(request.params, reply)
      })
    }
    mountForm('pay', async (opened, form, { headers }) => {
      const answer = await hosted.pay(opened, form)
      if (typeof answer === 'string' || 'render' in answer) return answer
      const paidFor = { purpose, purposeId: opened.row.id }
      await storeLanguage(db, opened.tenant, paidFor, localeOf(headers))
      const { payUrl } = answer
      // The browser refuses to go from a form to any other site. The page has a link to it.
      if (!payUrl || !isAmong(payUrl, await deps.providers.pageSources(opened.tenant))) return ''
      return { payUrl }
    })
    for (const [path, act] of Object.entries(forms)) mountForm(path, act)
    mountMore(pages, sending)
  })
}

/** Returns the channel in a payer's form. Throws 400 for an unknown one. */
export function methodChoiceOf({ channel, bankCode }: Form): MethodChoice {
  if (!isPayChannel(channel)) {
    throw invalid({ channel: ['must be BANK_TRANSFER, USSD or CARD'] })
  }
  return { channel, bankCode: typeof bankCode === 'string' ? bankCode : null }
}

const isPayChannel = (channel: unknown): channel is Channel =>
  channel === 'BANK_TRANSFER' || channel === 'USSD' || channel === 'CARD'

/** Returns the banks from whose accounts payers can pay by USSD; none if they can't. */
export async function ussdBanksFor(
  { providers }: Pick<Deps, 'providers'>,
  tenant: Tenant,
  channels: readonly Channel[],
) {
  if (!channels.includes('USSD')) return []
  const codes = await providers.ussdBanks(tenant)
  return BANKS.filter(
    ({ code, ussdTemplate }) => ussdTemplate !== null && (codes === null || codes.includes(code)),
  ).map(({ code, name }) => ({ code, name }))
}

export function hostedView(
  { tenant: { live }, terms, now, hasReturned = false }: Omit<HostedContext, 'realNow'>,
  ussdBanks: Awaited<ReturnType<typeof ussdBanksFor>>,
  attempt?: Attempt,
  received: readonly TransactionRow[] = [],
) {
  const payment = attempt && attemptView(attempt, hasReturned)
  return {
    test: !live,
    merchant: merchantOf(terms),
    ussdBanks,
    ...(payment && { payment }),
    payments: paymentsOf(received, now),
    now,
    timeZone: terms.time_zone,
  }
}

/** Returns where the form that starts a payment can lead: by card, to a provider's page. */
export const formTargetsOf = async (
  { providers }: Pick<Deps, 'providers'>,
  tenant: Tenant,
  channels: readonly Channel[],
): Promise<readonly string[]> => (channels.includes('CARD') ? providers.pageSources(tenant) : [])

/** Returns an attempt as its payer sees it; `undefined` if it has been paid. */
function attemptView(
  { transaction, account, ussdCodes }: Attempt,
  hasReturned: boolean,
): PaymentAttempt | undefined {
  const { status, channel, pay_url } = transaction
  if (!isPayChannel(channel)) return undefined
  if (status !== 'Pending' && status !== 'Failed' && status !== 'Abandoned') return undefined
  const fee_minor = transaction.payable_minor - transaction.amount_minor
  const banks = ussdCodes.map(({ bankCode, bankName, ussdCode }) => ({
    code: bankCode,
    name: bankName,
    ussdCode,
  }))
  const chosen = banks.find(({ code }) => code === transaction.bank_code) ?? banks[0]
  return {
    reference: transaction.reference,
    channel,
    amountMinor: transaction.payable_minor,
    ...(fee_minor > 0n && { feeMinor: fee_minor }),
    expiresAt: transaction.expires_at,
    outcome: status,
    ...(transaction.provider !== 'simulator' && { isReal: true }),
    ...(status === 'Failed' &&
      transaction.gateway_response && { message: transaction.gateway_response }),
    ...(account && {
      account: {
        number: account.account_number,
        name: account.account_name,
        bankName: account.bank_name,
      },
    }),
    ...(pay_url !== null && { hosted: { url: pay_url, hasReturned } }),
    ...(chosen && { ussd: { banks, chosen: chosen.code, ussdCode: chosen.ussdCode } }),
  }
}

/** Returns received payments as their payer sees them. */
export const paymentsOf = (received: readonly TransactionRow[], now: Date): PaymentMade[] =>
  received.map((paid) => ({
    reference: paid.reference,
    channel: paid.channel,
    amountMinor: paid.paid_minor ?? paid.amount_minor,
    paidAt: paid.paid_at ?? now,
    kind: paid.excess_minor === paid.paid_minor ? 'Overpayment' : 'Payment',
    owedBackMinor: owedBackOf(paid),
    refundedMinor: paid.refunded_minor,
  }))

/** Refunds take the overpayment first. */
const owedBackOf = ({ excess_minor, refunded_minor }: TransactionRow): Minor =>
  excess_minor > refunded_minor ? excess_minor - refunded_minor : 0n

/**
 * Returns a value that changes whenever the payer would see a change in the attempt or in `parts`.
 */
export function pageVersionOf(attempt: Attempt | undefined, parts: readonly unknown[]): string {
  const { transaction, account } = attempt ?? {}
  const all = [
    ...parts,
    transaction?.id,
    transaction?.status,
    transaction?.bank_code,
    transaction?.ussd_codes?.length,
    transaction?.pay_url,
    account?.id,
  ]
  return createHash('sha256').update(all.join(' ')).digest('base64url').slice(0, 16)
}

interface PaidFor {
  purpose: string
  purposeId: number
}

/**
 * Stores the language in which a payer chose a channel. English is not stored, because it is the
 * most common.
 */
async function storeLanguage(
  db: Db,
  tenant: Tenant,
  paidFor: PaidFor,
  locale: string,
): Promise<void> {
  const { language } = textsOf(locale)
  if (language === 'en') await updateLanguage(db, tenant, paidFor, language)
  else await upsertLanguage(db, tenant, paidFor, language)
}

export async function payerLanguage(db: Db, tenant: Tenant, paidFor: PaidFor): Promise<Language> {
  const kept = (await selectLanguage(db, tenant, paidFor))?.language ?? 'en'
  return isLanguage(kept) ? kept : 'en'
}
