import { Type } from 'typebox'
import type { Db, Tx } from '../../db/database.ts'
import type { Tenant } from '../../lib/caller.ts'
import { conflict, invalid } from '../../lib/problem.ts'
import { randomText } from '../../lib/tokens.ts'
import { deleteLink, insertLink, selectTaken } from './queries.ts'

const PATTERN = '^[a-z0-9](?:[a-z0-9-]{1,62}[a-z0-9])$'

/** The last step of a page's address, `/pay/{link}`, of which the whole server has each once. */
export const PageLink = Type.String({
  pattern: PATTERN,
  'x-says': 'must be 3 to 64 of a-z, 0-9 and -, without - at its ends',
  examples: ['ada-fashion'],
})

/** Whether a page can have it: an address may hold anything, bytes that no row can have too. */
export const isPageLink = (link: string): boolean => new RegExp(PATTERN).test(link)

const LENGTH_MIN = 3
const LINK_LENGTH_MAX = 64
/** Of what a name gives; leaves room for a suffix. */
const LENGTH_MAX = 50

/** Steps that the server may need for itself, or that a payer could take for its own words. */
const RESERVED: ReadonlySet<string> = new Set(
  `about account admin all api app assets auth billing cancel cancelled checkout contact
   dashboard docs done download downloads edit error failed failure favicon health help home
   index invoice invoices live login logout mailbox metrics new null openapi page pages pay
   payment payments pending preview privacy receipt receipts refund register reset robots
   search settings signin signup simulator sitemap static status success support terms test
   thanks tradepost undefined update upload verify wallet webhook webhooks www`.split(/\s+/),
)

/** Takes a link for a page; throws 400 for a reserved word, 409 for one that a page has. */
export async function takeLink(
  tx: Tx,
  tenant: Tenant,
  pageId: number,
  link: string,
  field: string,
): Promise<void> {
  if (RESERVED.has(link)) throw invalid({ [field]: ['is a reserved word'] })
  if (await insertLink(tx, tenant, pageId, link)) return
  throw conflict('link_taken', `Another page has the link ${link}.`, { [field]: ['is taken'] })
}

/** Takes a link that is made from the page's name, with a suffix when that is taken. */
export async function takeLinkLike(
  tx: Tx,
  tenant: Tenant,
  pageId: number,
  name: string,
): Promise<string> {
  const wanted = linkFrom(name)
  const isFit = wanted.length >= LENGTH_MIN && !RESERVED.has(wanted)
  if (isFit && (await insertLink(tx, tenant, pageId, wanted))) return wanted
  for (;;) {
    // 36 bits or so: a second round has not been seen.
    const link = `${wanted || 'page'}-${randomText(7).toLowerCase()}`
    if (await insertLink(tx, tenant, pageId, link)) return link
  }
}

/** Frees the link of a page for others. */
export const giveLinkBack = (tx: Tx, tenant: Tenant, pageId: number, link: string) =>
  deleteLink(tx, tenant, pageId, link)

const SUGGESTIONS = 3

/** Whether a page has the link, whether one could have it, and if not, others that one could. */
export async function linkState(db: Db, given: string) {
  const isFit = isPageLink(given)
  const link = isFit ? given : linkLike(given)
  const ends = ['2', '3', '4', '5', randomText(7).toLowerCase()]
  const like = ends.map((end) => `${cutTo(LINK_LENGTH_MAX - end.length - 1, link)}-${end}`)
  // What the text would be as a link comes first, where the text itself cannot be one.
  const wanted = isFit || RESERVED.has(link) ? like : [link, ...like]
  const taken = await selectTaken(db, [link, ...like])
  const exists = isFit && taken.has(link)
  const available = isFit && !exists && !RESERVED.has(link)
  const free = wanted.filter((one) => !taken.has(one))
  return { exists, available, suggestions: available ? [] : free.slice(0, SUGGESTIONS) }
}

/** The link that a text comes closest to. */
function linkLike(text: string): string {
  const link = linkFrom(text)
  return link.length >= LENGTH_MIN ? link : `page-${link}`.replace(/-$/, '')
}

const cutTo = (length: number, link: string) => link.slice(0, length).replace(/-+$/, '')

/** `Ọjà's Café & Co` is `oja-s-cafe-co`; may be empty. */
function linkFrom(name: string): string {
  const plain = name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
  const words = plain.match(/[a-z0-9]+/g) ?? []
  return cutTo(LENGTH_MAX, words.join('-'))
}
