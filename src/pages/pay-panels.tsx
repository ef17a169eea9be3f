import type { ComponentChildren } from 'preact'
import { type Minor, printMinor } from '../lib/money.ts'
import { CopyField, Icon, noTranslate, PostForm, QrCode } from './components.tsx'
import { countdown, dialUrl, type Format, safeUrl } from './format.ts'
import type { Texts } from './texts.ts'
import type { PartView, PayChannel, PaymentAttempt, UssdCodes } from './views.ts'

/** The part of an invoice or a checkout that the payment forms need. */
export interface Payable {
  /** The page's path. The forms post to paths below it. */
  path: string
  test: boolean
  currency: string
  /** The amount left to pay. */
  dueMinor: Minor
  /** Whether part of the total has already been paid. */
  isRest?: boolean
  /** The methods that are available now, in display order. */
  channels: readonly PayChannel[]
  /** What each method costs the payer, if this is known in advance. */
  costs?: Partial<Record<PayChannel, { payableMinor: Minor; feeMinor: Minor }>>
  ussdBanks: readonly { code: string; name: string }[]
  part?: PartView
  now: Date
}

export interface PayProps {
  view: Payable
  t: Texts
  format: Format
}

interface AttemptProps extends PayProps {
  payment: PaymentAttempt
}

interface BankSelectProps {
  t: Texts
  label: string
  banks: readonly { code: string; name: string }[]
  chosen?: string | undefined
}

/** Asks for the bank, because each bank has its own code. */
export const BankSelect = ({ t, label, banks, chosen }: BankSelectProps) => (
  <p class="field">
    <label for="bank">{label}</label>
    <select id="bank" name="bankCode" required>
      {!chosen && <option value="">{t.ussd.chooseBank}</option>}
      {banks.map(({ code, name }) => (
        <option key={code} value={code} selected={code === chosen}>
          {name}
        </option>
      ))}
    </select>
  </p>
)

export function TransferPanel({ view, t, format, payment }: AttemptProps) {
  const { account } = payment
  if (!account) return null
  // The amount fields in bank apps accept only digits and a point.
  const plain = printMinor(payment.amountMinor, view.currency)
  return (
    <section class="card" aria-labelledby="way">
      <h2 id="way">{t.transfer.heading(format.amount(payment.amountMinor))}</h2>
      <dl class="copies">
        <CopyField t={t} id="copy-number" name={t.transfer.number} value={account.number}>
          <GroupedDigits digits={account.number} />
        </CopyField>
        <DetailRow name={t.transfer.bank} value={account.bankName} />
        <DetailRow name={t.transfer.accountName} value={account.name} />
        <CopyField t={t} id="copy-amount" name={t.transfer.amount} value={plain}>
          {format.amount(payment.amountMinor)}
        </CopyField>
      </dl>
      <p class="fine">
        {t.transfer.exact} {t.transfer.expiry(format.time(payment.expiresAt))}
        <Fee t={t} format={format} payment={payment} />
      </p>
      <Waiting
        view={view}
        t={t}
        payment={payment}
        heading={t.transfer.waiting}
        text={t.transfer.usually}
      />
    </section>
  )
}

export const DetailRow = ({ name, value }: { name: string; value: string }) => (
  <div>
    <dt>{name}</dt>
    <dd {...noTranslate}>{value}</dd>
  </div>
)

/** Shows `012 345 6789` but copies it without spaces. */
export const GroupedDigits = ({ digits }: { digits: string }) =>
  /^\d{10}$/.test(digits) ? (
    <>
      <span class="group">{digits.slice(0, 3)}</span>
      <span class="group">{digits.slice(3, 6)}</span>
      <span class="group">{digits.slice(6)}</span>
    </>
  ) : (
    digits
  )

const Fee = ({ t, format, payment }: Omit<AttemptProps, 'view'>) =>
  payment.feeMinor ? (
    <> {t.includesFee(format.amount(payment.amountMinor), format.amount(payment.feeMinor))}</>
  ) : null

export function UssdPanel({ view, t, format, payment }: AttemptProps) {
  const { ussd } = payment
  if (!ussd) return null
  const bank = ussd.banks.find(({ code }) => code === ussd.chosen)
  const address = dialUrl(ussd.ussdCode)
  return (
    <section class="card" aria-labelledby="way">
      <h2 id="way">{t.ussd.heading(bank?.name ?? '')}</h2>
      <dl class="copies">
        <CopyField t={t} id="copy-code" name={t.ussd.code} value={ussd.ussdCode} />
      </dl>
      {address && (
        <>
          <a class="button wide" id="dial" href={address}>
            <Icon name="phone" />
            {t.ussd.dial}
          </a>
          <figure class="scan">
            <QrCode text={address} label={t.ussd.qr} />
            <figcaption>{t.ussd.scan}</figcaption>
          </figure>
        </>
      )}
      <ol class="steps" aria-label={t.ussd.steps}>
        <li>{t.ussd.line}</li>
        <li>
          {t.ussd.approve(format.amount(payment.amountMinor))}
          <Fee t={t} format={format} payment={payment} />
        </li>
        <li>
          {t.ussd.back} {t.ussd.expiry(format.time(payment.expiresAt))}
        </li>
      </ol>
      <BankChange view={view} t={t} payment={payment} ussd={ussd} />
      <Waiting view={view} t={t} payment={payment} heading={t.ussd.waiting} text={t.ussd.usually} />
    </section>
  )
}

/** The provider's page is a link, so that a payer who has left it can go back to it. */
export function CardPanel({ view, t, format, payment }: AttemptProps) {
  const { hosted } = payment
  const address = safeUrl(hosted?.url)
  if (!hosted || !address) return null
  const link = (tone: string) => (
    <a class={`button wide ${tone}`.trim()} id="card-page" href={address}>
      <Icon name="card" />
      {t.card.go}
    </a>
  )
  const until = (
    <p class="fine">
      {t.card.expiry(format.time(payment.expiresAt))}
      <Fee t={t} format={format} payment={payment} />
    </p>
  )
  if (hosted.hasReturned) {
    const { checking: heading, checkingText: text } = t.card
    return (
      <section class="card hosted" aria-labelledby="way">
        <Waiting view={view} t={t} payment={payment} heading={heading} text={text} isWhole />
        <p>{t.card.retry}</p>
        {link('quiet')}
        {until}
      </section>
    )
  }
  return (
    <section class="card hosted" aria-labelledby="way">
      <h2 id="way">{t.card.heading(format.amount(payment.amountMinor))}</h2>
      <p class="soft">{t.card.text}</p>
      {link('')}
      {until}
      <Waiting view={view} t={t} payment={payment} heading={t.card.waiting} text={t.card.usually} />
    </section>
  )
}

interface BankChangeProps {
  view: Payable
  t: Texts
  payment: PaymentAttempt
  ussd: UssdCodes
}

const BankChange = ({ view, t, payment, ussd }: BankChangeProps) =>
  ussd.banks.length > 1 ? (
    <PostForm action={`${view.path}/pay`} fields={sameAgain(view, payment)} class="inline">
      <BankSelect t={t} label={t.ussd.changeBank} banks={ussd.banks} chosen={ussd.chosen} />
      <button type="submit" id="change-bank" class="button quiet">
        {t.ussd.change}
      </button>
    </PostForm>
  ) : null

/**
 * Returns the form fields that request another bank's code for the same payment and the same
 * amount.
 */
function sameAgain({ part, currency }: Payable, { amountMinor, feeMinor = 0n }: PaymentAttempt) {
  const channel = 'USSD'
  return part ? { channel, amount: printMinor(amountMinor - feeMinor, currency) } : { channel }
}

interface WaitingProps {
  view: Payable
  t: Texts
  payment: PaymentAttempt
  heading: string
  text: string
  /** Whether nothing else says what is being waited for. */
  isWhole?: boolean
}

const Waiting = ({ view, t, payment, heading, text, isWhole = false }: WaitingProps) => (
  <div class="waiting-box">
    <div class="pulse-line">
      <span class="pulse" aria-hidden="true" />
      {isWhole ? <h2 id="way">{heading}</h2> : <h3>{heading}</h3>}
      {!isWhole && <Remaining t={t} until={payment.expiresAt} now={view.now} />}
    </div>
    <p class="scripted" data-checked={t.notYet}>
      {text}
    </p>
    <noscript>
      <p>{t.reloads}</p>
    </noscript>
    <div class="actions">
      {payment.channel === 'CARD' ? (
        // The server then asks the provider.
        <a class="button quiet" id="check" href={`${view.path}/returned`}>
          {t.card.paid}
        </a>
      ) : (
        <a class="button quiet" id="check" href={view.path} data-check>
          {t.paidCheck}
        </a>
      )}
      <PostForm action={`${view.path}/cancel-payment`}>
        <button type="submit" id="another" class="button bare">
          {t.another}
        </button>
      </PostForm>
    </div>
    {view.test && payment.channel !== 'CARD' && !payment.isReal && (
      <Simulator view={view} t={t} payment={payment} />
    )}
  </div>
)

const Remaining = ({ t, until, now }: { t: Texts; until: Date; now: Date }) => (
  <span class="remaining scripted" role="timer" aria-label={t.timeLeft}>
    <time dateTime={until.toISOString()} data-until={until.getTime()}>
      {countdown(until, now)}
    </time>
  </span>
)

/** Simulates the payer's bank, in test mode only. For card payments, the provider's page does. */
const Simulator = ({ view, t, payment }: { view: Payable; t: Texts; payment: PaymentAttempt }) => (
  <section class="simulator" aria-labelledby="simulator">
    <h3 id="simulator">
      <Icon name="flask" />
      {t.test.heading}
    </h3>
    <p class="fine">{t.test.text}</p>
    <div class="actions">
      <Outcome view={view} outcome="success">
        {payment.channel === 'USSD' ? t.test.approve : t.test.transfer}
      </Outcome>
      {payment.channel === 'USSD' && (
        <Outcome view={view} outcome="failed">
          {t.test.decline}
        </Outcome>
      )}
    </div>
  </section>
)

interface OutcomeProps {
  view: Payable
  outcome: 'success' | 'failed'
  children: ComponentChildren
}

const Outcome = ({ view, outcome, children }: OutcomeProps) => (
  <PostForm action={`${view.path}/simulate`} fields={{ outcome }}>
    <button type="submit" id={`simulate-${outcome}`} class="button test">
      {children}
    </button>
  </PostForm>
)
