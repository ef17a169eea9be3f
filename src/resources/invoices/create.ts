import { openBatch } from '../../db/batch.ts'
import { isLockTimeout } from '../../db/failures.ts'
import {
  type Answer,
  alone,
  type Claim,
  earlierAnswer,
  onceInDatabase,
} from '../../db/idempotency.ts'
import { openWriter } from '../../db/writer.ts'
import { newEventReference } from '../../events/reference.ts'
import { serializer } from '../../lib/serializer.ts'
import type { Caller } from '../../lib/tenant.ts'
import type { Deps } from '../deps.ts'
import { ANSWER_END, ANSWER_START, insertInvoices, type NewRow } from './insert.ts'
import { newInvoice } from './new-invoice.ts'
import { invoiceRecord } from './record.ts'
import { InvoiceRecord, type NewInvoice } from './schemas.ts'

type CreateDeps = Pick<Deps, 'db' | 'ids' | 'publicUrl' | 'nudge'>

/**
 * Creates invoices. Unless one is to stay a Draft it is sent at once: its mail follows by itself.
 *
 * What arrives while a statement is under way goes out together as the next one: claim of the
 * Idempotency-Key, invoice, events, mail and stored answer of each, all durable before any of them
 * is answered. Every value of an answer is known before it is written, so the statement only says
 * which keys were new.
 */
export function invoiceCreator(deps: CreateDeps, write = batchedWrite(deps)) {
  const { db } = deps

  return async (caller: Caller, request: NewInvoice, claim?: Claim): Promise<Answer> => {
    const row = await rowOf(deps, caller, request, claim)
    const answer = { status: 201, body: ANSWER_START + row.record + ANSWER_END }
    if (!claim) await write(row)
    else {
      const given = await alone(claim, () => addOrRepeat(row, claim, answer))
      if (given.replayed) return given
    }
    deps.nudge('mail')
    return answer
  }

  async function addOrRepeat(row: NewRow, claim: Claim, answer: Answer): Promise<Answer> {
    try {
      return (await write(row)) ? answer : await earlierAnswer(db, claim)
    } catch (error) {
      if (!isLockTimeout(error)) throw error
    }
    // Another process holds the key in an open transaction: that is waited for outside the batch.
    return onceInDatabase(db, claim, async (tx) => {
      await insertInvoices((statement) => tx.query(statement), [{ ...row, claim: undefined }])
      return answer
    })
  }
}

/** Answers whether the row was written: not when its Idempotency-Key was used before. */
type Write = (row: NewRow) => Promise<boolean>

function batchedWrite({ db }: CreateDeps): Write {
  const writer = openWriter(db)
  const batch = openBatch<NewRow, boolean>(
    (rows) => insertInvoices((statement) => writer.query(statement), rows),
    ({ record }) => record.length,
  )
  return batch.add
}

const toJson = serializer(InvoiceRecord)

/** All that is written for one request. Throws 400 naming what does not fit together. */
async function rowOf(
  { ids, publicUrl }: CreateDeps,
  caller: Caller,
  request: NewInvoice,
  claim: Claim | undefined,
): Promise<NewRow> {
  const id = ids.take() ?? (await ids.next())
  const invoice = newInvoice(id, caller, request)
  const { timeZone, now } = caller
  const isSent = invoice.status === 'Sent'
  return {
    invoice,
    record: toJson(invoiceRecord(invoice, { publicUrl, timeZone, now, payments: [] })),
    claim,
    createdId: ids.take() ?? (await ids.next()),
    createdReference: newEventReference(now),
    sentId: isSent ? (ids.take() ?? (await ids.next())) : null,
    sentReference: isSent ? newEventReference(now) : null,
    mailId: isSent ? (ids.take() ?? (await ids.next())) : null,
  }
}
