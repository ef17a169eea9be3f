/**
 * The operations of docs/CONTRACT.md that are not mounted yet. Strike an operation in the commit
 * that mounts it: test/contract.test.ts fails while one is both here and mounted.
 */
export const TO_COME: readonly string[] = [
  // Invoices
  // Transactions and USSD
  // Checkout, virtual accounts and orders
  // Refunds
  // Products
  // Payment pages
  // Payer pages
  // Utility payments
  // Events and webhooks
]
