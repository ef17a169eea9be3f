import type { COLLECTIONS } from '../resources/keys/collections.ts'

/** What each collection of operations is about, for readers of the API reference. */
export const COLLECTION_WORDS: Record<(typeof COLLECTIONS)[number] | 'authentication', string> = {
  authentication: 'Exchange the credentials of a partner for an access token.',
  profile: 'The business of the key, its settings and its partners.',
  keys: 'What the key of this request can do.',
  invoices: 'Ask a customer for money, follow the payments, send reminders.',
  transactions: 'The payments that customers made or started, and new USSD payments.',
  transfers: 'Send money from the wallet to bank accounts.',
  refunds: 'Give money back to the customer who paid it.',
  banks: 'The banks and their codes, and the name on a bank account.',
  subaccounts: 'Bank accounts of others that receive a share of payments.',
  split_pages: 'Rules that divide a payment between subaccounts.',
  settlements: 'What was paid out to subaccounts, and when.',
  payment_pages: 'Public pages where customers pay an amount or buy products.',
  products: 'What the business sells: options, stock, pictures, files and delivery fees.',
  discounts: 'Codes that lower the price of products.',
  orders: 'What customers ordered and paid for.',
  checkout: 'A payment that a customer makes on a page that this server hosts.',
  utility: 'Buy airtime, data, television, electricity and exam pins from the wallet.',
  wallet: 'The balance, and every movement of money behind it.',
  events: 'Everything that happened, in order.',
  webhooks: 'The endpoints that receive events, and each delivery to them.',
  requests: 'The API requests of this business, with their answers.',
  simulator: 'Test mode only: play the part of the bank, the customer and the clock.',
}
