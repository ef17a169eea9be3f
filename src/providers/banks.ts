/** A bank that payers use: its CBN code and the template of its USSD payment code. */
export interface Bank {
  code: string
  name: string
  /** `{code}` stands for the merchant's payment code; null where the bank has no such service. */
  ussdTemplate: string | null
}

/** Nigerian deposit money banks that take USSD payments or settlement accounts. */
export const BANKS: readonly Bank[] = [
  { code: '044', name: 'Access Bank', ussdTemplate: '*901*000*{code}#' },
  { code: '023', name: 'Citibank Nigeria', ussdTemplate: null },
  { code: '050', name: 'Ecobank Nigeria', ussdTemplate: '*326*000*{code}#' },
  { code: '070', name: 'Fidelity Bank', ussdTemplate: '*770*000*{code}#' },
  { code: '011', name: 'First Bank of Nigeria', ussdTemplate: '*894*000*{code}#' },
  { code: '214', name: 'First City Monument Bank', ussdTemplate: '*329*000*{code}#' },
  { code: '058', name: 'Guaranty Trust Bank', ussdTemplate: '*737*000*{code}#' },
  { code: '030', name: 'Heritage Bank', ussdTemplate: '*745*000*{code}#' },
  { code: '082', name: 'Keystone Bank', ussdTemplate: '*7111*000*{code}#' },
  { code: '076', name: 'Polaris Bank', ussdTemplate: '*833*000*{code}#' },
  { code: '221', name: 'Stanbic IBTC Bank', ussdTemplate: '*909*000*{code}#' },
  { code: '068', name: 'Standard Chartered Bank', ussdTemplate: null },
  { code: '232', name: 'Sterling Bank', ussdTemplate: '*822*000*{code}#' },
  { code: '033', name: 'United Bank for Africa', ussdTemplate: '*919*000*{code}#' },
  { code: '032', name: 'Union Bank of Nigeria', ussdTemplate: '*826*000*{code}#' },
  { code: '215', name: 'Unity Bank', ussdTemplate: '*7799*000*{code}#' },
  { code: '035', name: 'Wema Bank', ussdTemplate: '*945*000*{code}#' },
  { code: '057', name: 'Zenith Bank', ussdTemplate: '*966*000*{code}#' },
]

const byCode = new Map(BANKS.map((bank) => [bank.code, bank]))

export const bankOf = (code: string): Bank | undefined => byCode.get(code)
