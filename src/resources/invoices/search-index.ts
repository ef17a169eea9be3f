import { sql } from '../../db/sql.ts'
import type { TextIndex } from '../texts/search.ts'
import { textSweeper } from '../texts/sweep.ts'

export const INVOICE_TEXTS: TextIndex = {
  records: sql`invoices`,
  texts: sql`invoice_texts`,
  due: sql`invoice_texts_due`,
}

export const invoiceTextSweeper = textSweeper('invoice-texts', INVOICE_TEXTS)
