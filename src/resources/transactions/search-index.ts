import { sql } from '../../db/sql.ts'
import type { TextIndex } from '../texts/search.ts'
import { textSweeper } from '../texts/sweep.ts'

export const TRANSACTION_TEXTS: TextIndex = {
  records: sql`transactions`,
  texts: sql`transaction_texts`,
  due: sql`transaction_texts_due`,
}

export const transactionTextSweeper = textSweeper('transaction-texts', TRANSACTION_TEXTS)
