import type { ComponentChildren } from 'preact'
import { CopyField, Icon, type IconName, Notice, noTranslate, PostForm } from './components.tsx'
import {
  BankSelect,
  CardPanel,
  DetailRow,
  GroupedDigits,
  type PayProps,
  TransferPanel,
  UssdPanel,
} from './pay-panels.tsx'
import type { ManualPaymentView, PartView, PayChannel, PaymentAttempt } from './views.ts'

interface WaysProps extends PayProps {
  /** The open payment attempt, or the last attempt if it failed. */
  payment: PaymentAttempt | undefined
  merchant: string
  /**
   * The merchant's own bank account with the reference to use, shown if no channel is connected.
   */
  manual?: ManualPaymentView & { reference: string }
}

export function AttemptPanel(props: WaysProps) {
  const { view, payment } = props
  if (payment?.outcome === 'Pending' && hasStarted(payment)) {
    const Waiting = PANELS[payment.channel]
    return <Waiting {...props} payment={payment} />
  }
  return (
    <>
      <LastAttempt {...props} />
      {view.channels.length > 0 ? <MethodPicker {...props} /> : <NoWay {...props} />}
    </>
  )
}

const PANELS = { BANK_TRANSFER: TransferPanel, USSD: UssdPanel, CARD: CardPanel }

/** Whether the provider has said how to pay. */
const hasStarted = ({ account, ussd, hosted }: PaymentAttempt) =>
  account !== undefined || ussd !== undefined || hosted !== undefined

function LastAttempt({ t, payment }: Omit<WaysProps, 'view' | 'format'>) {
  if (!payment) return null
  if (payment.outcome === 'Failed') {
    return (
      <Notice tone="bad" icon="alert" heading={t.failed.heading}>
        {/* The provider's own wording. */}
        {payment.message && <p lang="en">{payment.message}</p>}
        <p>{t.failed.text}</p>
      </Notice>
    )
  }
  if (payment.outcome === 'Pending') {
    return (
      <Notice tone="waiting" icon="clock" heading={t.notStarted.heading}>
        <p>{t.notStarted.text}</p>
      </Notice>
    )
  }
  const words = {
    BANK_TRANSFER: t.abandoned.transfer,
    USSD: t.abandoned.ussd,
    CARD: t.abandoned.card,
  }
  return (
    <Notice tone="waiting" icon="clock" heading={t.abandoned.heading}>
      <p>{words[payment.channel]}</p>
    </Notice>
  )
}

function NoWay({ t, merchant, manual }: Pick<WaysProps, 't' | 'merchant' | 'manual'>) {
  if (manual) return <Manual t={t} merchant={merchant} manual={manual} />
  return (
    <Notice tone="plain" icon="bank" heading={t.noWay.heading}>
      <p>{t.noWay.text(merchant)}</p>
    </Notice>
  )
}

/** The business marks the invoice as paid manually. */
const Manual = ({
  t,
  merchant,
  manual,
}: Pick<WaysProps, 't' | 'merchant'> & { manual: NonNullable<WaysProps['manual']> }) => (
  <section class="card" aria-labelledby="way">
    <h2 id="way">{t.manual.heading}</h2>
    <dl class="copies">
      <CopyField t={t} id="copy-number" name={t.transfer.number} value={manual.accountNumber}>
        <GroupedDigits digits={manual.accountNumber} />
      </CopyField>
      <DetailRow name={t.transfer.bank} value={manual.bankName} />
      <DetailRow name={t.transfer.accountName} value={manual.accountName} />
    </dl>
    {manual.instructions && <p {...noTranslate}>{manual.instructions}</p>}
    <p class="fine">{t.manual.text(merchant, manual.reference)}</p>
  </section>
)

/**
 * Shows the payment methods. Each has its own form, but if the payer also chooses the amount, they
 * share one.
 */
const MethodPicker = (props: PayProps) => {
  const { view, t } = props
  const ways = view.channels.map((channel, index) => {
    const Start = STARTS[channel]
    return <Start key={channel} {...props} first={index === 0} />
  })
  return (
    <section class="card choice" aria-labelledby="choose">
      <h2 id="choose">{view.isRest ? t.received.choose : t.choose}</h2>
      {view.part ? (
        <PostForm action={`${view.path}/pay`}>
          <PartField {...props} part={view.part} />
          {ways}
        </PostForm>
      ) : (
        ways
      )}
    </section>
  )
}

/** The server validates the amount, so the field works without JavaScript. */
const PartField = ({ view, t, format, part }: PayProps & { part: PartView }) => (
  <p class="field part">
    <label for="part">{t.part.label}</label>
    <span class="money-box">
      <span aria-hidden="true">{format.sign}</span>
      <input
        id="part"
        name="amount"
        value={typeof part.value === 'bigint' ? format.figure(part.value) : part.value}
        inputMode="decimal"
        autoComplete="off"
        required
        data-money
        aria-describedby="part-says"
        aria-invalid={part.fault !== undefined}
      />
    </span>
    <span id="part-says" class={part.fault ? 'fault' : 'soft'}>
      {part.fault && <Icon name="alert" />}
      {part.fault
        ? t.part.fault[part.fault](format.amount(part.leastMinor), format.amount(view.dueMinor))
        : t.part.hint(format.amount(part.leastMinor))}
    </span>
  </p>
)

interface StartProps extends PayProps {
  /** The first payment method gets the primary button. */
  first: boolean
}

const TransferStart = ({ view, t, format, first }: StartProps) => (
  <Way view={view} channel="BANK_TRANSFER" icon="bank" name={t.transfer.name}>
    <p class="soft">{t.transfer.pitch}</p>
    <Cost channel="BANK_TRANSFER" view={view} t={t} format={format} />
    <StartButton view={view} channel="BANK_TRANSFER" id="pay-transfer" first={first}>
      {t.transfer.start}
    </StartButton>
  </Way>
)

const UssdStart = ({ view, t, format, first }: StartProps) => (
  <Way view={view} channel="USSD" icon="phone" name={t.ussd.name}>
    <p class="soft">{t.ussd.pitch}</p>
    <Cost channel="USSD" view={view} t={t} format={format} />
    {view.ussdBanks.length > 0 && <BankSelect t={t} label={t.ussd.bank} banks={view.ussdBanks} />}
    <StartButton view={view} channel="USSD" id="pay-ussd" first={first}>
      {t.ussd.start}
    </StartButton>
  </Way>
)

const CardStart = ({ view, t, format, first }: StartProps) => (
  <Way view={view} channel="CARD" icon="card" name={t.card.name}>
    <p class="soft">{t.card.pitch}</p>
    <Cost channel="CARD" view={view} t={t} format={format} />
    <StartButton view={view} channel="CARD" id="pay-card" first={first}>
      {t.card.start}
    </StartButton>
  </Way>
)

const STARTS = { BANK_TRANSFER: TransferStart, USSD: UssdStart, CARD: CardStart }

/** Shows how much the payer will send with this method before they choose it. */
function Cost({ view, t, format, channel }: PayProps & { channel: PayChannel }) {
  const cost = view.costs?.[channel]
  if (!cost || cost.feeMinor === 0n) return null
  const { payableMinor, feeMinor } = cost
  return <p class="cost">{t.includesFee(format.amount(payableMinor), format.amount(feeMinor))}</p>
}

interface WayProps extends Pick<PayProps, 'view'> {
  channel: PayChannel
  icon: IconName
  name: string
  children: ComponentChildren
}

function Way({ view, channel, icon, name, children }: WayProps) {
  const inner = (
    <>
      <h3>
        <Icon name={icon} />
        {name}
      </h3>
      {children}
    </>
  )
  if (view.part) return <div class="way">{inner}</div>
  return (
    <PostForm action={`${view.path}/pay`} fields={{ channel }} class="way">
      {inner}
    </PostForm>
  )
}

interface StartButtonProps extends Pick<PayProps, 'view'> {
  channel: PayChannel
  id: string
  first: boolean
  children: ComponentChildren
}

/**
 * In the shared form, the button's value is the payment method. Only USSD requires choosing a bank.
 */
const StartButton = ({ view, channel, id, first, children }: StartButtonProps) => (
  <button
    type="submit"
    id={id}
    class={first ? 'button wide' : 'button wide quiet'}
    {...(view.part && { name: 'channel', value: channel, formNoValidate: channel !== 'USSD' })}
  >
    {children}
  </button>
)
