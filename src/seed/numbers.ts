import { takeNumbers } from '../business/account/invoice-series.ts'
import type { Tx } from '../db/database.ts'
import type { Tenant } from '../lib/caller.ts'
import { invoiceNumber } from '../lib/invoice-number.ts'
import type { Story } from './story.ts'

/**
 * Gives the invoices the next numbers of their business in the transaction that writes them, so
 * that a run that breaks off leaves no gap. Their events already exist and are corrected. The
 * transaction may run again.
 */
export async function numberInvoices(
  tx: Tx,
  tenant: Tenant,
  stories: readonly Story[],
): Promise<void> {
  const { prefix, first } = await takeNumbers(tx, tenant, stories.length)
  for (const [i, { invoice, events }] of stories.entries()) {
    const before = fieldOf(invoiceNumber(invoice))
    invoice.number = first + i
    invoice.number_prefix = prefix
    const after = fieldOf(invoiceNumber(invoice))
    for (const event of events) event.data = event.data.replace(before, () => after)
  }
}

const fieldOf = (number: string): string => `"invoiceNumber":"${number}"`
