import { t } from '../../texts/checkout.ts'

export type Way = 'link' | 'ussd'

export interface Values extends Record<string, unknown> {
  amount: number | string
  customerEmail: string
  customerName: string
  customerPhone: string
  minutes: string
  channels: string[]
  /** `split 12` or `subaccount SUB_…`; '' for nobody. */
  share: string | null
  feeBearer: string
  callbackUrl: string
  reference: string
  bankCode: string | null
  message: string
}

export const EMPTY: Values = {
  amount: '',
  customerEmail: '',
  customerName: '',
  customerPhone: '',
  minutes: '30',
  channels: ['BANK_TRANSFER', 'USSD'],
  share: null,
  feeBearer: '',
  callbackUrl: '',
  reference: '',
  bankCode: null,
  message: '',
}

export const checksOf = (way: Way) => ({
  amount: (amount: number | string) => (Number(amount) > 0 ? null : t.amountWrong),
  ...(way === 'link' && {
    customerEmail: (email: string) => (/^\S+@\S+$/.test(email.trim()) ? null : t.emailWrong),
    channels: (channels: string[]) => (channels.length > 0 ? null : t.channelsWrong),
  }),
})

/** Of a choice in the field for sharing. */
function sharedBy(share: string | null) {
  const [kind, id] = (share ?? '').split(' ')
  return {
    ...(kind === 'split' && { splitPageId: id }),
    ...(kind === 'subaccount' && { subaccountCode: id }),
  }
}

/** What is empty is left out. */
const filled = (fields: Record<string, string>) =>
  Object.fromEntries(
    Object.entries(fields)
      .map(([name, text]) => [name, text.trim()])
      .filter(([, text]) => text),
  )

export const toCheckout = (values: Values) => ({
  amount: values.amount,
  expiresInMinutes: Number(values.minutes),
  channels: values.channels,
  ...filled({
    customerEmail: values.customerEmail,
    customerName: values.customerName,
    customerPhone: values.customerPhone,
    callbackUrl: values.callbackUrl,
    reference: values.reference,
    feeBearer: values.feeBearer,
  }),
  ...sharedBy(values.share),
})

export const toUssd = ({ amount, share, bankCode, message }: Values) => ({
  channel: 'USSD',
  amount,
  ...filled({ bankCode: bankCode ?? '', message }),
  ...(sharedBy(share).splitPageId && { pageId: sharedBy(share).splitPageId }),
})
