import type { ComponentChildren } from 'preact'
import { Icon, type IconName, PostForm } from './components.tsx'
import { BankSelect, type PayProps } from './pay-panels.tsx'
import type { PartView, PayChannel } from './views.ts'

/**
 * Shows the payment methods. Each has its own form, but if the payer also chooses the amount, they
 * share one.
 */
export const MethodPicker = (props: PayProps) => {
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
    <Cost channel="BANK_TRANSFER" {...{ view, t, format }} />
    <StartButton view={view} channel="BANK_TRANSFER" id="pay-transfer" first={first}>
      {t.transfer.start}
    </StartButton>
  </Way>
)

const UssdStart = ({ view, t, format, first }: StartProps) => (
  <Way view={view} channel="USSD" icon="phone" name={t.ussd.name}>
    <p class="soft">{t.ussd.pitch}</p>
    <Cost channel="USSD" {...{ view, t, format }} />
    {view.ussdBanks.length > 0 && <BankSelect t={t} label={t.ussd.bank} banks={view.ussdBanks} />}
    <StartButton view={view} channel="USSD" id="pay-ussd" first={first}>
      {t.ussd.start}
    </StartButton>
  </Way>
)

const CardStart = ({ view, t, format, first }: StartProps) => (
  <Way view={view} channel="CARD" icon="card" name={t.card.name}>
    <p class="soft">{t.card.pitch}</p>
    <Cost channel="CARD" {...{ view, t, format }} />
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
