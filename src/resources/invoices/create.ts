import { openBatch } from '../../db/batch.ts'
import type { Tx } from '../../db/database.ts'
import { isLockTimeout, isUniqueViolation } from '../../db/failures.ts'
import {
  type Answer,
  alone,
  type Claim,
  earlierAnswer,
  once,
  onceInDatabase,
} from '../../db/idempotency.ts'
import { openWriter } from '../../db/writer.ts'
import { eventHead, newSalt } from '../../events/digest.ts'
import { newEventReference } from '../../events/reference.ts'
import { serializer } from '../../lib/serializer.ts'
import type { Caller } from '../../lib/tenant.ts'
import { isCarried } from '../../providers/currencies.ts'
import type { Deps } from '../deps.ts'
import { requireTakeable } from './currency.ts'
import { ANSWER_END, ANSWER_START, insertInvoices, type NewRow } from './insert.ts'
import { newInvoice } from './new-invoice.ts'
import { invoiceRecord } from './record.ts'
import { InvoiceRecord, type NewInvoice } from './schemas.ts'

type CreateDeps = Pick<Deps, 'db' | 'ids' | 'publicUrl' | 'providers' | 'nudge'>

/**
 * Creates invoices. Unless one is to stay a Draft it is sent at once: its mail follows by itself.
 *
 * What arrives while a statement is under way goes out together as the next one: claim of the
 * Idempotency-Key, invoice, events, mail and stored answer of each, all durable before any of them
 * is answered. Every value of an answer but the number is known before it is written, so the
 * statement only says which keys were new, and the numbers that it took.
 */
export function invoiceCreator(deps: CreateDeps, write = batchedWrite(deps)) {
  const { db } = deps

  return async (caller: Caller, request: NewInvoice, claim?: Claim): Promise<Answer> => {
    const row = await rowOf(deps, caller, request, claim)
    const answer = await (isCarried(request.currency)
      ? batched(row, claim)
      : checked(caller, row, claim))
    if (!answer.replayed) deps.nudge('mail')
    return answer
  }

  function batched(row: NewRow, claim?: Claim): Promise<Answer> {
    return claim ? alone(claim, () => addOrRepeat(row, claim)) : add(row)
  }

  /** Outside the batch: whether the business takes the currency itself is read after the claim. */
  function checked(caller: Caller, row: NewRow, claim?: Claim): Promise<Answer> {
    return once(db, claim, async (tx) => {
      await requireTakeable(tx, caller, row.invoice.currency)
      return addAlone(tx, row)
    })
  }

  async function addOrRepeat(row: NewRow, claim: Claim): Promise<Answer> {
    try {
      const number = await write(row)
      return number === undefined ? await earlierAnswer(db, claim) : answerOf(row, number)
    } catch (error) {
      if (!isHeldElsewhere(error)) throw error
    }
    return onceInDatabase(db, claim, (tx) => addAlone(tx, row))
  }

  async function add(row: NewRow): Promise<Answer> {
    try {
      return answerOf(row, await write(row))
    } catch (error) {
      if (!isHeldElsewhere(error)) throw error
    }
    return db.transaction((tx) => addAlone(tx, row))
  }
}

/**
 * Another process has the key, or the numbers of the business, in an open transaction: that is
 * waited for outside the batch. Or it had the key when the batch wanted to claim it.
 */
const isHeldElsewhere = (error: unknown): boolean =>
  isLockTimeout(error) || isUniqueViolation(error, 'idempotency_keys_pkey')

async function addAlone(tx: Tx, row: NewRow): Promise<Answer> {
  const [number] = await insertInvoices(
    (statement) => tx.query(statement),
    [{ ...row, claim: undefined }],
  )
  return answerOf(row, number)
}

const answerOf = ({ head, tail }: NewRow, number: string | undefined): Answer => ({
  status: 201,
  body: ANSWER_START + head + number + tail + ANSWER_END,
})

/** Answers its number; undefined when its Idempotency-Key was used before. */
type Write = (row: NewRow) => Promise<string | undefined>

function batchedWrite({ db }: CreateDeps): Write {
  const writer = openWriter(db)
  const batch = openBatch<NewRow, string | undefined>(
    (rows) => insertInvoices((statement) => writer.query(statement), rows),
    ({ head, tail }) => head.length + tail.length,
  )
  return batch.add
}

const toJson = serializer(InvoiceRecord)

/** All that is written for one request. Throws 400 naming what does not fit together. */
async function rowOf(
  { ids, publicUrl, providers }: CreateDeps,
  caller: Caller,
  request: NewInvoice,
  claim: Claim | undefined,
): Promise<NewRow> {
  const id = ids.take() ?? (await ids.next())
  const invoice = newInvoice(id, caller, request)
  const { timeZone, now } = caller
  const isSent = invoice.status === 'Sent'
  const record = invoiceRecord(invoice, { publicUrl, providers, timeZone, now, payments: [] })
  const head = (type: string, sequence: number, eventId: number, reference: string) =>
    eventHead({
      businessId: invoice.business_id,
      live: invoice.live,
      id: eventId,
      reference,
      type,
      objectType: 'invoice',
      objectId: id,
      sequence,
      at: now,
    })
  const createdId = ids.take() ?? (await ids.next())
  const createdReference = newEventReference(now)
  const sentId = isSent ? (ids.take() ?? (await ids.next())) : null
  const sentReference = isSent ? newEventReference(now) : null
  return {
    invoice,
    ...cut(toJson({ ...record, invoiceNumber: '' })),
    claim,
    salt: newSalt(),
    createdId,
    createdReference,
    createdHead: head('invoice.created', 1, createdId, createdReference),
    sentId,
    sentReference,
    sentHead: sentId && sentReference ? head('invoice.sent', 2, sentId, sentReference) : null,
    mailId: isSent ? (ids.take() ?? (await ids.next())) : null,
  }
}

const NUMBER_FIELD = '"invoiceNumber":"'

/** Nothing before the number is a caller's text, so the first such field is the one. */
function cut(json: string): Pick<NewRow, 'head' | 'tail'> {
  const at = json.indexOf(NUMBER_FIELD) + NUMBER_FIELD.length
  return { head: json.slice(0, at), tail: json.slice(at) }
}
