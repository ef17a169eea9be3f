import { Type } from 'typebox'
import { actorOf, appendAudit } from '../../business/audit-log/log.ts'
import type { ConsoleDeps } from '../../deps.ts'
import { success } from '../../http/errors.ts'
import { type Route, route } from '../../http/route.ts'
import { notFound } from '../../lib/problem.ts'
import { Envelope, MultilineText, Text, Timestamp } from '../../lib/schemas.ts'
import { insertNote, type NoteRow, selectNotes } from './queries.ts'

const LENGTH_MAX = 2_000
/** How many notes are shown for one order. Older ones remain stored. */
const SHOWN = 200

const about = {
  path: '/orders/:reference/notes',
  caller: 'member',
  params: Type.Object({ reference: Text(64) }),
} as const

const Note = Type.Object({
  id: Type.Integer(),
  text: Type.String(),
  author: Type.String(),
  authorId: Type.Integer(),
  createdAt: Timestamp,
})

/** Only the team can write and read the notes on an order; buyers never see them. */
export const orderNoteRoutes = ({ db, ids }: Pick<ConsoleDeps, 'db' | 'ids'>): Route[] => [
  route({
    ...about,
    operation: 'list_order_notes',
    method: 'GET',
    scope: 'orders:read',
    response: Envelope(Type.Array(Note)),
    handle: async ({ caller, params: { reference } }) => {
      const notes = await selectNotes(db, caller, reference, SHOWN)
      if (!notes) throw notFound('order')
      return success('Notes retrieved.', notes.map(recordOf))
    },
  }),
  route({
    ...about,
    operation: 'create_order_note',
    method: 'POST',
    scope: 'orders:write',
    body: Type.Object({ text: MultilineText(LENGTH_MAX) }),
    response: Envelope(Note),
    handle: async (input) => {
      const { caller, params, body, now: at } = input
      const { businessId, live } = caller
      const { reference } = params
      const text = body.text.trim()
      const actor = actorOf(input)
      const note = await db.transaction(async (tx) => {
        const row = await insertNote(tx, caller, reference, {
          id: await ids.next(tx),
          text,
          author_id: actor.personId,
          author_name: actor.name,
          // The order’s own times follow the test clock, and so must the times of its notes.
          created_at: caller.now,
        })
        if (!row) throw notFound('order')
        const entry = { action: 'order_note.create', object: reference, detail: 'Added a note' }
        await appendAudit(tx, actor, { businessId, live, at, ...entry })
        return row
      })
      return success('Note added.', recordOf(note))
    },
  }),
]

const recordOf = ({ id, text, author_id, author_name, created_at }: NoteRow) => ({
  id,
  text,
  author: author_name,
  authorId: author_id,
  createdAt: created_at,
})
