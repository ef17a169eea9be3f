import type { Db, Statement } from '../database.ts'
import { type Sql, sql } from '../sql.ts'
import { REFERENCE_TABLES } from './tables.ts'

/*
 * Citus sends a statement to one machine only if each table has a condition on the distribution
 * column itself. Ours often say it once, and join the other tables on `business_id`, or send a list
 * of rows. So if all of a statement's values name the same business, the condition is added to each
 * table. Other statements stay as they are. A single database never gets here.
 */

/** Returns the statement for a distributed database. */
export function forOneMachine(statement: Statement): Statement {
  const { text, values, name } = statement
  const form = formOf(text)
  const business = businessIn(form, values)
  if (business === undefined) return statement
  form.rewritten ??= rewrite(text, values.length + 1)
  if (form.rewritten === text) return statement
  return {
    ...(name !== undefined && { name: `${name}_one` }),
    text: form.rewritten,
    values: [...values, business],
  }
}

/**
 * Groups rows for statements that lock or write them: by business if the tables are divided among
 * machines, and otherwise in one group.
 */
export const groupsFor = <Row>(
  { isDivided }: Pick<Db, 'isDivided'>,
  rows: readonly Row[],
  businessOf: (row: Row) => number,
): Row[][] => (isDivided ? [...Map.groupBy(rows, businessOf).values()] : [[...rows]])

/**
 * Returns a condition for a statement that finds its business in a reference table. If the tables
 * are divided, first selects the business with `business`: without it, the statement would look on
 * each machine in each part of its tables, which takes more than 20 times as long.
 */
export async function onMachineOf(db: Db, business: Sql, column: Sql): Promise<Sql> {
  if (!db.isDivided) return sql`true`
  const found = await db.maybe<{ business_id: number }>`${business}`
  return found ? sql`${column} = ${found.business_id}` : sql`false`
}

/** Where a statement names its business: the positions of values. */
interface Form {
  /** Of single ids. */
  single: number[]
  /** Of lists of ids. */
  lists: number[]
  /** Of lists of rows in JSON. */
  json: number[]
  rewritten?: string
}

const forms = new Map<string, Form>()
/** Statements have few texts, except for those whose values are written out. */
const FORMS_MAX = 10_000

function formOf(text: string): Form {
  let form = forms.get(text)
  if (!form) {
    if (forms.size >= FORMS_MAX) forms.clear()
    form = { single: singleIn(text), lists: listsIn(text), json: jsonIn(text) }
    forms.set(text, form)
  }
  return form
}

const place = (digits: string | undefined): number => Number(digits) - 1

/** `business_id = $1`, `(business_id, live) = ($1, $2)`. */
function singleIn(text: string): number[] {
  const plain = text.matchAll(/\bbusiness_id\s*=\s*\$(\d+)(?![\d:]*\[)/g)
  const rows = text.matchAll(/\(\s*(?:\w+\.)?business_id\b[^()]*\)\s*=\s*\(\s*\$(\d+)/g)
  return [...plain, ...rows].map(([, digits]) => place(digits))
}

/** `unnest($1, …) as t (business_id, …)`, `(business_id, …) in (select * from unnest($1, …))`. */
function listsIn(text: string): number[] {
  const found: number[] = []
  for (const { 1: list = '', index, 0: whole } of text.matchAll(/\bunnest\s*\(([^()]*)\)/g)) {
    const after = /^(?:\s+with\s+ordinality)?\s*(?:as\s+)?\w*\s*\(([^()]*)\)/i.exec(
      text.slice(index + whole.length),
    )
    const before = /\(([^()]*)\)\s*in\s*\(\s*select\s+\*\s+from\s*$/i.exec(text.slice(0, index))
    const names = (before ?? after)?.[1]?.split(',').map((name) => name.trim())
    const at = names?.findIndex((name) => /(^|_)business_id$/.test(name)) ?? -1
    const digits = at < 0 ? undefined : /^\s*\$(\d+)/.exec(list.split(',')[at] ?? '')?.[1]
    if (digits) found.push(place(digits))
  }
  for (const [, digits] of text.matchAll(/\bbusiness_id\s*=\s*any\s*\(\s*\$(\d+)/g)) {
    found.push(place(digits))
  }
  return found
}

const jsonIn = (text: string): number[] =>
  [...text.matchAll(/\bjsonb?_to_recordset\s*\(\s*\$(\d+)/g)].map(([, digits]) => place(digits))

/** Returns the business that all values name, or undefined if there are several or none. */
function businessIn({ single, lists, json }: Form, values: readonly unknown[]) {
  const found = new Set<number>()
  for (const at of single) {
    if (values[at] === null || values[at] === undefined) return undefined
    found.add(Number(values[at]))
  }
  for (const at of lists) for (const id of idsOf(values[at])) found.add(id)
  for (const at of json) for (const id of idsInJson(values[at])) found.add(id)
  const [business] = found
  return found.size === 1 && Number.isSafeInteger(business) ? business : undefined
}

function idsOf(value: unknown): number[] {
  if (Array.isArray(value)) return value.map(Number)
  if (typeof value !== 'string' || value === '{}') return []
  return value.slice(1, -1).split(',').map(Number)
}

function idsInJson(value: unknown): number[] {
  const rows = typeof value === 'string' ? JSON.parse(value) : value
  if (!Array.isArray(rows)) return []
  return rows.filter((row) => row?.business_id !== undefined).map((row) => Number(row.business_id))
}

interface Token {
  kind: 'word' | 'other'
  text: string
  /** Position in the statement. */
  at: number
  /** The number of parentheses around it. */
  depth: number
}

const TOKENS = new RegExp(
  [
    /--[^\n]*|\/\*[\s\S]*?\*\//,
    /[eE]?'(?:[^'\\]|''|\\[\s\S])*'|"[^"]*"/,
    /\$\d+|[A-Za-z_][\w.]*|\d[\w.]*|::|[^\s\w]/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'g',
)

/** Without comments, and with words in lower case. */
function tokensOf(text: string): Token[] {
  const tokens: Token[] = []
  let depth = 0
  for (const { 0: found, index } of text.matchAll(TOKENS)) {
    if (found.startsWith('--') || found.startsWith('/*')) continue
    if (found === ')') depth--
    const isWord = /^[A-Za-z_]/.test(found) && !/'$/.test(found)
    tokens.push({
      kind: isWord ? 'word' : 'other',
      text: isWord ? found.toLowerCase() : found,
      at: index,
      depth,
    })
    if (found === '(') depth++
  }
  return tokens
}

/** They can follow a table that has no alias. */
const AFTER_TABLE = new Set(
  `where join left right inner cross full natural on using order group limit union except intersect
   for set returning having window offset tablesample lateral when then end and or as`.split(/\s+/),
)
const NOT_TABLES = /^(pg_|information_schema)/
/** What ends the list of tables. */
const AFTER_FROM = new Set(
  'where order group limit union except intersect for returning having window offset on'.split(' '),
)

interface Change {
  at: number
  /** How many characters it replaces. */
  length: number
  text: string
}

function rewrite(text: string, position: number): string {
  const tokens = tokensOf(text)
  const named = new Set(
    tokens
      .filter((token, i) => token.kind === 'word' && isNamedQuery(tokens, i))
      .map((token) => token.text),
  )
  const isDivided = (token: Token | undefined): token is Token =>
    token?.kind === 'word' &&
    !token.text.includes('.') &&
    !named.has(token.text) &&
    !REFERENCE_TABLES.includes(token.text) &&
    !AFTER_TABLE.has(token.text) &&
    !NOT_TABLES.test(token.text)
  const condition = `business_id = $${position}::bigint`
  const columns = /\bctid\b/i.test(text) ? 'ctid, *' : '*'
  const changes: Change[] = []
  /** The tables of statements that lock rows, by the positions of their conditions. */
  const locking = new Map<number, { block: Block; aliases: string[] }>()

  for (const [i, token] of tokens.entries()) {
    const next = tokens[i + 1]
    if (token.text === 'into' && isDivided(next) && tokens[i + 2]?.text !== 'as') {
      // Without an alias, Citus writes `returning` for a name that the machine does not know.
      changes.push({ at: next.at + next.text.length, length: 0, text: ` as ${next.text}` })
    } else if (isTarget(tokens, i) && isDivided(token)) {
      const { end, where } = blockOf(tokens, i, TARGET_ENDS, text.length)
      changes.push(...conditionIn({ end, where }, [`${aliasAt(tokens, i)}.${condition}`]))
    } else if (startsTable(tokens, i) && isDivided(next) && tokens[i + 2]?.text !== '(') {
      const block = blockOf(tokens, i + 1, SELECT_ENDS, text.length)
      // A subquery whose rows are locked confuses Citus.
      if (locksRows(tokens, i + 1)) {
        const known = locking.get(block.end)
        const alias = `${aliasAt(tokens, i + 1)}.${condition}`
        if (known) known.aliases.push(alias)
        else locking.set(block.end, { block, aliases: [alias] })
        continue
      }
      const filtered = `(select ${columns} from ${next.text} where ${condition})`
      changes.push({
        at: next.at,
        length: next.text.length,
        text: hasAlias(tokens[i + 2]) ? filtered : `${filtered} ${next.text}`,
      })
    }
  }
  for (const { block, aliases } of locking.values()) changes.push(...conditionIn(block, aliases))
  for (const [i, token] of tokens.entries()) {
    if (token.text === '(' && /^(as|materialized)$/.test(tokens[i - 1]?.text ?? '')) {
      changes.push(...lockedInside(tokens, i))
    }
  }
  return changed(text, changes)
}

const hasAlias = (after: Token | undefined): boolean =>
  after?.text === 'as' || (after?.kind === 'word' && !AFTER_TABLE.has(after.text))

/** Returns the name that the rest of the statement uses for the table. */
function aliasAt(tokens: readonly Token[], i: number): string {
  const after = tokens[i + 1]
  if (after?.text === 'as') return tokens[i + 2]!.text
  return hasAlias(after) ? after!.text : tokens[i]!.text
}

/** Where a condition can be added. */
interface Block {
  where: Token | undefined
  /** Position of what follows its conditions. */
  end: number
}

const TARGET_ENDS = new Set(['returning'])
const SELECT_ENDS = new Set(
  'group order limit union except intersect for returning having window offset'.split(' '),
)

function blockOf(
  tokens: readonly Token[],
  i: number,
  ends: ReadonlySet<string>,
  length: number,
): Block {
  const { depth } = tokens[i]!
  const own = tokens.slice(i + 1).filter((token) => token.depth <= depth)
  const after = own.find(
    (token) => token.depth < depth || (token.kind === 'word' && ends.has(token.text)),
  )
  const end = after?.at ?? length
  return { end, where: own.find((token) => token.text === 'where' && token.at < end) }
}

function locksRows(tokens: readonly Token[], i: number): boolean {
  const { depth } = tokens[i]!
  for (let at = i + 1; at < tokens.length && tokens[at]!.depth >= depth; at++) {
    const { text, depth: deep } = tokens[at]!
    if (deep > depth) continue
    if (/^(union|except|intersect)$/.test(text)) return false
    if (text === 'for' && /^(update|no|share|key)$/.test(tokens[at + 1]?.text ?? '')) return true
  }
  return false
}

/**
 * Citus mixes up the columns of a named query that locks rows, so a subquery takes the locks:
 * `as (select … for update)` becomes `as (select * from (select … for update) locked_rows)`.
 */
function lockedInside(tokens: readonly Token[], i: number): Change[] {
  const { depth, at } = tokens[i]!
  if (tokens[i + 1]?.text !== 'select' || !locksRows(tokens, i + 1)) return []
  const end = tokens.slice(i + 1).find((token) => token.depth === depth && token.text === ')')!
  return [
    { at: at + 1, length: 0, text: 'select * from (' },
    { at: end.at, length: 0, text: ') locked_rows' },
  ]
}

/** `where …` becomes `where t.business_id = $9 and (…)`. */
function conditionIn({ where, end }: Block, conditions: readonly string[]): Change[] {
  const condition = conditions.join(' and ')
  if (!where) return [{ at: end, length: 0, text: ` where ${condition} ` }]
  return [
    { at: where.at + where.text.length, length: 0, text: ` ${condition} and (` },
    { at: end, length: 0, text: ') ' },
  ]
}

/** `name as (`, `name (a, b) as materialized (` */
function isNamedQuery(tokens: readonly Token[], i: number): boolean {
  const before = tokens[i - 1]?.text
  if (before !== 'with' && before !== ',' && before !== 'recursive') return false
  let at = i + 1
  if (tokens[at]?.text === '(') {
    const { depth } = tokens[at]!
    while (tokens[at] && !(tokens[at]!.text === ')' && tokens[at]!.depth === depth)) at++
    at++
  }
  if (tokens[at]?.text !== 'as') return false
  at++
  if (tokens[at]?.text === 'not') at++
  if (tokens[at]?.text === 'materialized') at++
  return tokens[at]?.text === '('
}

/** Whether a table can follow: `from`, `join`, or a comma in a list of tables. */
function startsTable(tokens: readonly Token[], i: number): boolean {
  const { text, depth } = tokens[i]!
  if (text === 'join') return true
  // Not `delete from`, `is distinct from` or `extract(epoch from …)`.
  if (text === 'from') return isClause(tokens, i)
  if (text !== ',') return false
  for (let at = i - 1; at >= 0 && tokens[at]!.depth >= depth; at--) {
    const token = tokens[at]!
    if (token.depth > depth || token.kind !== 'word') continue
    if (token.text === 'from') return isClause(tokens, at)
    if (AFTER_FROM.has(token.text) && token.text !== 'on') return false
    if (token.text === 'select' || token.text === 'set' || token.text === 'values') return false
  }
  return false
}

function isClause(tokens: readonly Token[], i: number): boolean {
  const before = tokens[i - 1]?.text
  if (before === 'delete' || before === 'distinct') return false
  const { depth } = tokens[i]!
  // In a function, as in `extract(epoch from …)`, there is no `select` before it.
  for (let at = i - 1; at >= 0 && tokens[at]!.depth >= depth; at--) {
    const token = tokens[at]!
    if (token.depth === depth && /^(select|update|delete)$/.test(token.text)) return true
  }
  return false
}

/** Whether this is the table of an `update` or `delete`, but not of `for update`. */
function isTarget(tokens: readonly Token[], i: number): boolean {
  const before = tokens[i - 1]?.text
  const earlier = tokens[i - 2]?.text
  if (before === 'from') return earlier === 'delete'
  return before === 'update' && earlier !== 'for' && earlier !== 'key' && earlier !== 'do'
}

function changed(text: string, changes: Change[]): string {
  let result = ''
  let from = 0
  // At the same place, inner parentheses close first, and those were opened last.
  for (const { at, length, text: added } of changes.toSorted((a, b) => a.at - b.at)) {
    result += text.slice(from, at) + added
    from = at + length
  }
  return result + text.slice(from)
}
