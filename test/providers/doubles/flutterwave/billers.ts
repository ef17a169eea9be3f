/** Some of what Flutterwave sells in Nigeria. Amounts in kobo; 0 if the buyer chooses. */
export interface BillItem {
  id: number
  itemCode: string
  billerCode: string
  name: string
  shortName: string
  labelName: string
  amount: bigint
  least: bigint
  most: bigint
  fee: bigint
  /** In thousandths of the amount. */
  commission: bigint
  /** Whether Flutterwave can check who the customer is. */
  isResolvable: boolean
  /** Whether the customer gets a token to type in. */
  hasToken: boolean
}

export const CATEGORIES = [
  { id: 1, name: 'Airtime', code: 'AIRTIME' },
  { id: 2, name: 'Mobile Data Service', code: 'MOBILEDATA' },
  { id: 3, name: 'Cable Bill Payment', code: 'CABLEBILLS' },
  { id: 4, name: 'Internet Service', code: 'INTSERVICE' },
  { id: 5, name: 'Utility Bills', code: 'UTILITYBILLS' },
] as const

export const BILLERS = [
  { id: 1, category: 'AIRTIME', billerCode: 'BIL099', name: 'MTN', shortName: 'MTN' },
  { id: 2, category: 'AIRTIME', billerCode: 'BIL102', name: 'GLO', shortName: 'GLO' },
  { id: 3, category: 'AIRTIME', billerCode: 'BIL100', name: 'AIRTEL', shortName: 'AIRTEL' },
  { id: 4, category: 'AIRTIME', billerCode: 'BIL103', name: '9MOBILE', shortName: '9MOBILE' },
  { id: 5, category: 'MOBILEDATA', billerCode: 'BIL108', name: 'MTN DATA', shortName: 'MTN' },
  { id: 6, category: 'CABLEBILLS', billerCode: 'BIL119', name: 'DSTV', shortName: 'DSTV' },
  {
    id: 7,
    category: 'UTILITYBILLS',
    billerCode: 'BIL113',
    name: 'IKEJA DISCO ELECTRICITY',
    shortName: 'IKEDC',
  },
] as const

const airtime = {
  labelName: 'Mobile Number',
  amount: 0n,
  least: 5_000n,
  most: 5_000_000n,
  fee: 0n,
  commission: 25n,
  isResolvable: false,
  hasToken: false,
}
const meter = {
  labelName: 'Meter Number',
  amount: 0n,
  least: 50_000n,
  most: 50_000_000n,
  fee: 10_000n,
  commission: 5n,
  isResolvable: true,
}
const dstv = { labelName: 'SmartCard Number', least: 0n, most: 0n, fee: 10_000n, commission: 0n }

export const ITEMS: readonly BillItem[] = [
  { ...airtime, id: 1, itemCode: 'AT099', billerCode: 'BIL099', name: 'MTN', shortName: 'MTN' },
  { ...airtime, id: 2, itemCode: 'AT133', billerCode: 'BIL102', name: 'GLO', shortName: 'GLO' },
  {
    ...airtime,
    id: 3,
    itemCode: 'AT100',
    billerCode: 'BIL100',
    name: 'AIRTEL',
    shortName: 'AIRTEL',
  },
  {
    ...airtime,
    id: 4,
    itemCode: 'AT134',
    billerCode: 'BIL103',
    name: '9MOBILE',
    shortName: '9MOBILE',
  },
  {
    ...airtime,
    id: 5,
    itemCode: 'MD107',
    billerCode: 'BIL108',
    name: 'MTN 1.5 GB',
    shortName: '1.5 GB',
    amount: 120_000n,
  },
  {
    ...airtime,
    id: 6,
    itemCode: 'MD108',
    billerCode: 'BIL108',
    name: 'MTN 40 MB',
    shortName: '40 MB',
    amount: 4_999n,
  },
  {
    ...dstv,
    id: 7,
    itemCode: 'CB140',
    billerCode: 'BIL119',
    name: 'DSTV Access',
    shortName: 'DSTV Access',
    amount: 200_000n,
    isResolvable: true,
    hasToken: false,
  },
  {
    ...dstv,
    id: 10,
    itemCode: 'CB177',
    billerCode: 'BIL119',
    name: 'DSTV COMPACT PLUS',
    shortName: 'COMPACT PLUS',
    amount: 3_400_000n,
    isResolvable: true,
    hasToken: false,
  },
  {
    ...airtime,
    id: 11,
    itemCode: 'MD143',
    billerCode: 'BIL108',
    name: 'MTN 1GB DAILY',
    shortName: '1 GB',
    amount: 60_000n,
  },
  {
    ...meter,
    id: 8,
    itemCode: 'UB159',
    billerCode: 'BIL113',
    name: 'IKEDC PREPAID TOPUP',
    shortName: 'IKEDC PREPAID',
    hasToken: true,
  },
  {
    ...meter,
    id: 9,
    itemCode: 'UB160',
    billerCode: 'BIL113',
    name: 'IKEDC POSTPAID BILL',
    shortName: 'IKEDC POSTPAID',
    hasToken: false,
  },
]
