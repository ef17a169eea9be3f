import type { ErrorCodeEntry } from './entry.ts'

/** There is nothing, or nothing of yours, at that address. */
export const MISSING = {
  route_not_found: {
    kind: 'not_found',
    means: 'There is no operation at this address.',
    mend: 'Compare it with /docs; a few operations have one family of paths only.',
  },
  method_not_allowed: {
    kind: 'method_not_allowed',
    means: 'The address has operations, but none with this method.',
    mend: 'Use one of those that `Allow` names.',
  },
  not_found: {
    kind: 'not_found',
    means: 'A payment by USSD names a page that is not there in this business and mode.',
    mend: 'Check `pageId`, and that the key is of the right mode.',
  },
  asset_not_found: {
    kind: 'not_found',
    means: 'The page that named this file is of another version.',
    mend: 'Load the page again.',
  },
  event_not_found: {
    kind: 'not_found',
    means: 'There is no such event in this business and mode.',
    mend: 'Check the id, evt_…, and that the key is of the right mode.',
  },
  invoice_not_found: {
    kind: 'not_found',
    means: 'There is no such invoice in this business and mode.',
    mend: 'Check the reference, and that the key is of the right mode.',
  },
  request_not_found: {
    kind: 'not_found',
    means: 'No call with this id is in the log of requests.',
    mend: 'Check the id, the mode of the key, and whether calls are kept for so long; reads of the log are not.',
  },
  ledger_entry_not_found: {
    kind: 'not_found',
    means: 'There is no such entry in the books of this business and mode.',
    mend: 'Check the reference, LED_…, and the mode that you look at.',
  },
  mail_not_found: {
    kind: 'not_found',
    means:
      'There is no such mail in this business and mode, or it is about what your role may not read.',
    mend: 'List the mails.',
  },
  customer_not_found: {
    kind: 'not_found',
    means: 'Nobody with this address paid, was billed or ordered in this business and mode.',
    mend: 'Search for a part of the name or the address.',
  },
  key_not_found: {
    kind: 'not_found',
    means: 'There is no such key in this business.',
    mend: 'List the keys.',
  },
  partner_not_found: {
    kind: 'not_found',
    means: 'There is no such partner in this mode, or it was never granted what is to be revoked.',
    mend: 'Check `clientId`, and that the key is of the right mode.',
  },
  transaction_not_found: {
    kind: 'not_found',
    means: 'There is no such transaction in this business and mode.',
    mend: 'Check the id or reference, and that the key is of the right mode.',
  },
  subaccount_not_found: {
    kind: 'not_found',
    means: 'There is no such subaccount in this business and mode, or not on this split page.',
    mend: 'Check the code, and that the key is of the right mode.',
  },
  split_page_not_found: {
    kind: 'not_found',
    means: 'There is no such split page in this business and mode.',
    mend: 'Check the id, and that the key is of the right mode.',
  },
  payment_page_not_found: {
    kind: 'not_found',
    means: 'There is no such payment page in this business and mode, or it was deleted.',
    mend: 'Check the id or link, and that the key is of the right mode.',
  },
  bank_not_found: {
    kind: 'not_found',
    means: 'No bank matches the filters of the list.',
    mend: 'Use fewer filters; the whole list has the id and code of each bank.',
  },
  bank_account_not_found: {
    kind: 'not_found',
    means: 'The bank has no account of this number.',
    mend: 'Check the number and the bank with its holder.',
  },
  transfer_not_found: {
    kind: 'not_found',
    means: 'There is no such transfer in this business and mode.',
    mend: 'Check the reference, and that the key is of the right mode.',
  },
  refund_not_found: {
    kind: 'not_found',
    means: 'There is no such refund in this business and mode.',
    mend: 'Check the reference, and that the key is of the right mode.',
  },
  product_not_found: {
    kind: 'not_found',
    means: 'There is no such product in this business and mode.',
    mend: 'Check the id or slug, and that the key is of the right mode.',
  },
  delivery_fee_not_found: {
    kind: 'not_found',
    means: 'The product has no delivery fee of this location or id.',
    mend: 'List the delivery fees of the product.',
  },
  discount_not_found: {
    kind: 'not_found',
    means: 'There is no such discount in this business and mode.',
    mend: 'List the discount codes, and check that the key is of the right mode.',
  },
  settlement_not_found: {
    kind: 'not_found',
    means: 'There is no such settlement in this business and mode.',
    mend: 'Check the reference, and that the key is of the right mode.',
  },
  product_option_not_found: {
    kind: 'not_found',
    means: 'The product has no such option.',
    mend: 'Get the product, and look at its options.',
  },
  option_variant_not_found: {
    kind: 'not_found',
    means: 'The option has no such value.',
    mend: 'Get the product, and look at the values of the option.',
  },
  product_variant_not_found: {
    kind: 'not_found',
    means: 'The product has no such variant.',
    mend: 'Get the product, and look at its variants.',
  },
  checkout_not_found: {
    kind: 'not_found',
    means: 'There is no such checkout in this business and mode.',
    mend: 'Check the reference or access code, and that the key is of the right mode.',
  },
  order_not_found: {
    kind: 'not_found',
    means: 'There is no such order in this business and mode.',
    mend: 'Check the reference, and that the key is of the right mode.',
  },
  virtual_account_not_found: {
    kind: 'not_found',
    means: 'No payment of this business waits for money on that account number.',
    mend: 'Check the number; it may have expired.',
  },
  webhook_not_found: {
    kind: 'not_found',
    means: 'There is no such webhook endpoint in this business and mode, or it was deleted.',
    mend: 'List the webhooks, and check that the key is of the right mode.',
  },
  webhook_delivery_not_found: {
    kind: 'not_found',
    means: 'This event was never queued for this endpoint, or longer than 30 days ago.',
    mend: 'List the deliveries of the endpoint, or replay the time of the event.',
  },
} satisfies Record<string, ErrorCodeEntry>
