import { loadModule, parseSync } from 'libpg-query'
import { REFERENCE_TABLES } from '../../src/db/distributed/tables.ts'
import {
  type Block,
  Column,
  find,
  type Output,
  type Scope,
  type Source,
  type Whole,
} from './columns.ts'
import { businessColumn, type Schema } from './tables.ts'

/** A rule of docs/design/statements.md that a statement breaks. */
export interface Breach {
  rule: 'one business' | 'inside a tenant'
  says: string
}

await loadModule()

// biome-ignore lint/suspicious/noExplicitAny: the parser's tree has a hundred kinds of nodes
type Node = any

/**
 * Returns the rules that a statement breaks. `values` are those it ran with: two parameters can
 * name the business only if both have the same value. Throws if PostgreSQL would refuse the text.
 */
export function breachesOf(
  text: string,
  schema: Schema,
  values: readonly unknown[] = [],
): Breach[] {
  return parseSync(text).stmts!.flatMap(({ stmt }) => {
    const whole: Whole = { schema, blocks: [], subqueries: new Map(), breaches: [] }
    const block = newBlock(whole)
    const scope = { sources: [], outer: undefined, ctes: new Map(), limited: new Set<Column>() }
    readStatement(stmt, { ...scope, block, whole })
    return breachesIn(whole, values)
  })
}

/** Whether a text is a statement, and not only a part of one. */
export function isStatement(text: string): boolean {
  try {
    parseSync(text)
    return true
  } catch {
    return false
  }
}

/** Functions whose rows are a list that comes with the statement. */
const LISTS =
  /^(unnest|jsonb?_(to|populate)_recordset|jsonb?_array_elements(_text)?|string_to_table)$/

function newBlock(whole: Whole, outer?: Block): Block {
  const block = { sources: [], outer }
  whole.blocks.push(block)
  return block
}

function breachesIn(whole: Whole, values: readonly unknown[]): Breach[] {
  const found: Breach[] = whole.breaches.map((says) => ({ rule: 'one business', says }))
  const all = whole.blocks.flatMap(({ sources }) => sources)
  for (const { table, use, key } of all) {
    if (use === 'read' || key!.isLimited) continue
    found.push({ rule: 'one business', says: `${use}s ${table} without naming a business` })
  }
  const named = all.flatMap(({ key }) => (key!.bound === 'business' ? key!.parameters : []))
  const businesses = new Set(named.map((place) => values[place - 1]).filter((id) => id != null))
  if (businesses.size > 1) {
    found.push({ rule: 'one business', says: `names several businesses: ${[...businesses]}` })
  }
  for (const block of whole.blocks) {
    const around: Source[] = []
    for (let at: Block | undefined = block; at; at = at.outer) around.push(...at.sources)
    const groups = Map.groupBy(around, ({ key }) => (key!.bound ? 'bound' : key!.root))
    if (groups.size < 2) continue
    const tables = [...groups.values()].map((group) => group[0]!.table)
    found.push({
      rule: 'inside a tenant',
      says: `combines ${tables.join(' and ')} across businesses`,
    })
  }
  return found.filter(({ says }, i) => found.findIndex((other) => other.says === says) === i)
}

/** These neither read, lock nor write rows. */
const WITHOUT_ROWS = /^(Transaction|VariableSet|VariableShow|Vacuum|Discard)Stmt$/

/** Reads a statement, and returns the columns of its rows. */
function readStatement(node: Node, scope: Scope): Output[] {
  const [kind, inner] = Object.entries<Node>(node)[0]!
  switch (kind) {
    case 'SelectStmt':
      return readSelect(inner, scope)
    case 'InsertStmt':
      return readInsert(inner, scope)
    case 'UpdateStmt':
    case 'DeleteStmt':
      return readChange(inner, scope)
    case 'ExplainStmt':
      return readStatement(inner.query, scope)
    case 'LockStmt':
    case 'TruncateStmt':
      for (const { RangeVar } of inner.relations) {
        scope.whole.breaches.push(`locks the whole table ${RangeVar.relname}`)
      }
      return []
    default:
      // `do`, `call`, `copy`, `merge` and cursors could hide what they write.
      if (!WITHOUT_ROWS.test(kind)) throw new Error(`unknown kind of statement: ${kind}`)
      return []
  }
}

function within(scope: Scope, block = scope.block, sources: Source[] = []): Scope {
  const limited = new Set(scope.limitedOutside)
  const ctes = new Map(scope.ctes)
  return { ...scope, sources, outer: scope, ctes, block, limited, limitedOutside: undefined }
}

function readWith(clause: Node, scope: Scope): void {
  for (const { CommonTableExpr: cte } of clause?.ctes ?? []) {
    const names = cte.aliascolnames?.map(nameIn)
    if (clause.recursive && cte.ctequery.SelectStmt?.op === 'SETOP_UNION') {
      // The first arm gives the columns that the second refers to.
      const first = readStatement({ SelectStmt: cte.ctequery.SelectStmt.larg }, within(scope))
      scope.ctes.set(cte.ctename, renamed(first, names))
    }
    const rows = readStatement(cte.ctequery, within(scope))
    const known = scope.ctes.get(cte.ctename)
    for (const [i, { column }] of known?.entries() ?? []) same(column, rows[i]?.column, scope)
    scope.ctes.set(cte.ctename, renamed(rows, names))
  }
}

/** Adds the sources of the `from` to `sources`. */
function readSelect(node: Node, outer: Scope, sources: Source[] = []): Output[] {
  const scope = within(outer, outer.block, sources)
  readWith(node.withClause, scope)
  if (node.valuesLists) return readValues(node.valuesLists, scope)
  if (node.op !== 'SETOP_NONE') return readUnion(node, scope)
  for (const item of node.fromClause ?? []) readFrom(item, scope)
  readCondition(node.whereClause, scope)
  const { targetList, distinctClause, groupClause, havingClause, sortClause, windowClause } = node
  // Without a `from`, each subquery is separate.
  if (scope.sources.length > 0) readSubqueries([targetList, groupClause, havingClause], scope)
  readSubqueries([distinctClause, sortClause, windowClause], scope)
  readSubqueries([node.limitCount, node.limitOffset], scope)
  for (const { LockingClause } of node.lockingClause ?? []) {
    const names = LockingClause.lockedRels?.map(({ RangeVar }: Node) => RangeVar.relname)
    for (const source of scope.sources) if (names?.includes(source.name) ?? true) lock(source)
  }
  const isPlain = scope.sources.length > 0
  return (targetList ?? []).flatMap(({ ResTarget: target }: Node) =>
    outputsOf(target, isPlain ? scope : within(scope, newBlock(scope.whole, scope.block))),
  )
}

/** A lock on the rows of a subquery locks the rows of the tables that it reads. */
function lock(source: Source): void {
  if (source.key && source.use === 'read') source.use = 'lock'
  for (const [inner, outer] of source.inside?.columns ?? []) inner.limitedBy(outer)
  for (const inner of source.inside?.sources ?? []) lock(inner)
}

function readValues(lists: Node[], scope: Scope): Output[] {
  const rows = lists.map(({ List }) => List.items as Node[])
  readSubqueries(rows, scope)
  return rows[0]!.map((_, i) => ({
    name: `column${i + 1}`,
    column: Column.oneOf(rows.map((row) => columnOf(row[i], scope))),
  }))
}

/** Reads both arms of a `union`. What they have in common is only what the outside joins. */
function readUnion(node: Node, scope: Scope): Output[] {
  const [left, right] = [node.larg, node.rarg].map((arm: Node) =>
    readSelect(arm, within(scope, newBlock(scope.whole, scope.block))),
  )
  return left!.map(({ name, column }, i) => ({
    name,
    column: Column.oneOf([column, right![i]?.column]),
  }))
}

function readFrom(item: Node, scope: Scope): Source[] {
  const before = scope.sources.length
  const added = () => scope.sources.slice(before)
  if (item.RangeVar) addTable(item.RangeVar, scope)
  else if (item.RangeSubselect) {
    const { subquery, alias } = item.RangeSubselect
    const sources: Source[] = []
    const rows = readSelect(subquery.SelectStmt, scope, sources)
    addRows(scope, alias?.aliasname ?? '', renamed(rows, alias?.colnames?.map(nameIn)), sources)
  } else if (item.RangeFunction) addFunction(item.RangeFunction, scope)
  else if (item.JoinExpr) {
    const { jointype, larg, rarg, quals, usingClause, isNatural } = item.JoinExpr
    const left = readFrom(larg, scope)
    const right = readFrom(rarg, scope)
    // An outer join keeps rows for which its condition does not hold.
    const kept = { JOIN_INNER: [], JOIN_LEFT: left, JOIN_RIGHT: right, JOIN_FULL: added() }
    const joined = without(scope, kept[jointype as keyof typeof kept])
    for (const name of usingClause?.map(nameIn) ?? []) {
      same(columnIn(left, name), columnIn(right, name), joined)
    }
    if (isNatural) same(columnIn(left, 'business_id'), columnIn(right, 'business_id'), joined)
    readCondition(quals, joined)
  } else throw new Error(`unknown in a from: ${Object.keys(item)}`)
  return added()
}

/** Returns the scope of a condition that does not limit the rows of these sources. */
function without(scope: Scope, sources: readonly Source[]): Scope {
  const limited = new Set(scope.limited)
  for (const { columns } of sources) for (const column of columns.values()) limited.delete(column!)
  return { ...scope, limited }
}

const SCHEMA = 'public'
const SYSTEM_SCHEMAS = ['pg_catalog', 'information_schema']

function addTable(
  { relname, schemaname, alias }: Node,
  scope: Scope,
  use: Source['use'] = 'read',
): Source {
  const name = alias?.aliasname ?? relname
  const cte = schemaname || use === 'write' ? undefined : scope.ctes.get(relname)
  if (cte) return addRows(scope, name, renamed(cte, alias?.colnames?.map(nameIn)))
  const isSystem = SYSTEM_SCHEMAS.includes(schemaname) || (!schemaname && /^pg_/.test(relname))
  const columns = isSystem ? undefined : scope.whole.schema[relname]
  const business = columns && businessColumn(relname, columns)
  if (!isSystem && (columns === undefined || (schemaname ?? SCHEMA) !== SCHEMA)) {
    throw new Error(`unknown table ${relname}`)
  }
  const key = business === undefined ? undefined : new Column()
  const all = new Map<string, Column | undefined>(columns?.map((column) => [column, undefined]))
  if (business !== undefined) all.set(business, key)
  const isTenant = key !== undefined && !REFERENCE_TABLES.includes(relname)
  const source: Source = { name, columns: all, use, ...(isTenant && { table: relname, key }) }
  scope.sources.push(source)
  if (isTenant) scope.block.sources.push(source)
  if (key) scope.limited.add(key)
  return source
}

/**
 * Adds the rows of a subquery, a `with` clause or a function. Conditions outside do not limit the
 * rows that it locks or writes, so each of its columns gets another one that stands for it outside.
 */
function addRows(scope: Scope, name: string, rows: Output[], sources: Source[] = []): Source {
  const columns = new Map<string, Column | undefined>()
  const pairs: [Column, Column][] = []
  for (const { name, column } of rows) {
    const outer = column && new Column()
    columns.set(name, outer)
    if (!column || !outer) continue
    outer.equals(column)
    outer.limitedBy(column)
    scope.limited.add(outer)
    pairs.push([column, outer])
  }
  const inside = { sources, columns: pairs }
  const source: Source = { name, columns, use: 'read', inside }
  scope.sources.push(source)
  return source
}

function addFunction({ functions, alias, coldeflist }: Node, scope: Scope): void {
  const calls: Node[] = functions.map(({ List }: Node) => List.items[0])
  for (const call of calls) readSubqueries(call, scope)
  const isList = calls.every((call) => isListCall(call))
  const row = /^jsonb?_populate_recordset$/.test(functionName(calls[0]))
    ? scope.whole.schema[calls[0].FuncCall.args[0].TypeCast?.typeName.names[0].String.sval]
    : undefined
  const names: string[] = alias?.colnames?.map(nameIn) ??
    coldeflist?.map(({ ColumnDef }: Node) => ColumnDef.colname) ??
    row ?? [alias?.aliasname ?? functionName(calls[0])]
  const key = isList ? new Column('list') : undefined
  const rows = names.map((name) => ({ name, column: key }))
  addRows(scope, alias?.aliasname ?? functionName(calls[0]), rows)
}

function readInsert(node: Node, outer: Scope): Output[] {
  const scope = within(outer)
  readWith(node.withClause, scope)
  const target = addTable(node.relation, scope, 'write')
  const names: string[] = node.cols?.map(({ ResTarget }: Node) => ResTarget.name) ?? [
    ...target.columns.keys(),
  ]
  const rows = node.selectStmt
    ? readStatement(node.selectStmt, within({ ...scope, sources: [] }))
    : []
  for (const [i, name] of names.entries()) same(target.columns.get(name), rows[i]?.column, scope)
  const conflict = node.onConflictClause
  if (conflict) {
    requireOwnRow(conflict, target, scope)
    const inside = within(scope)
    inside.sources.push({ ...target, name: 'excluded' })
    readCondition(conflict.whereClause, inside)
    readSubqueries(conflict.targetList, inside)
  }
  return readReturning(node, scope)
}

/** `on conflict (id) do update` could change a row of another business. */
function requireOwnRow({ action, infer }: Node, { table, key, columns }: Source, scope: Scope) {
  if (action !== 'ONCONFLICT_UPDATE' || table === undefined) return
  const found: (string | undefined)[] = (infer?.indexElems ?? []).map(
    ({ IndexElem }: Node) => IndexElem.name,
  )
  if (found.some((name) => name !== undefined && columns.get(name) === key)) return
  scope.whole.breaches.push(`writes ${table} for a conflict that names no business`)
}

function readChange(node: Node, outer: Scope): Output[] {
  const scope = within(outer)
  readWith(node.withClause, scope)
  addTable(node.relation, scope, 'write')
  for (const item of node.fromClause ?? node.usingClause ?? []) readFrom(item, scope)
  readCondition(node.whereClause, scope)
  readSubqueries(node.targetList, scope)
  return readReturning(node, scope)
}

function readReturning({ returningClause, returningList }: Node, scope: Scope): Output[] {
  const list = returningClause?.exprs ?? returningList ?? []
  return list.flatMap(({ ResTarget }: Node) => outputsOf(ResTarget, scope))
}

function outputsOf({ name, val }: Node, scope: Scope): Output[] {
  const fields = val.ColumnRef?.fields
  if (fields?.at(-1)?.A_Star) {
    const of = fields.length > 1 ? nameIn(fields[0]) : undefined
    return scope.sources
      .filter((source) => of === undefined || source.name === of)
      .flatMap(({ columns }) => [...columns].map(([name, column]) => ({ name, column })))
  }
  readSubqueries(val, scope)
  const column = columnOf(val, scope)
  return [{ name: name ?? (fields ? nameIn(fields.at(-1)) : functionName(val)), column }]
}

/** Merges the columns that must be equal for a condition to hold. */
function readCondition(condition: Node, scope: Scope): void {
  if (!condition) return
  if (condition.BoolExpr?.boolop === 'AND_EXPR') {
    for (const part of condition.BoolExpr.args) readCondition(part, scope)
    return
  }
  const { A_Expr: compared, SubLink: sub } = condition
  if (sub?.subLinkType === 'ANY_SUBLINK' || sub?.subLinkType === 'EXISTS_SUBLINK') {
    // The subquery must have a row, so its condition limits the rows outside as well.
    const rows = readSubquery(sub, { ...scope, limitedOutside: scope.limited })
    if (sub.testexpr) readRow(sub.testexpr, rows, scope)
  }
  readSubqueries(condition, scope)
  if (compared?.name?.[0].String.sval === '=') {
    const { kind, lexpr, rexpr } = compared
    if (kind === 'AEXPR_OP' || kind === 'AEXPR_NOT_DISTINCT') readPair(lexpr, rexpr, scope)
    if (kind === 'AEXPR_IN' || kind === 'AEXPR_OP_ANY') readOneOf(lexpr, rexpr, scope)
  }
}

function readPair(left: Node, right: Node, scope: Scope): void {
  const row = rowOf(right)
  if (rowOf(left) && row)
    readRow(
      left,
      row.map((one) => ({ name: '', column: columnOf(one, scope) })),
      scope,
    )
  else if (rowOf(left) && right.SubLink) readRow(left, readSubquery(right.SubLink, scope), scope)
  else same(columnOf(left, scope), columnOf(right, scope), scope)
}

function readOneOf(left: Node, right: Node, scope: Scope): void {
  const choices: Node[] = right.List?.items ?? [right]
  if (right.SubLink) readRow(left, readSubquery(right.SubLink, scope), scope)
  else if (choices.some((choice) => mentionsColumn(choice))) return
  else
    for (const one of rowOf(left) ?? [left]) same(columnOf(one, scope), new Column('list'), scope)
}

function readRow(left: Node, rows: Output[], scope: Scope): void {
  const parts = rowOf(left) ?? [left]
  for (const [i, part] of parts.entries()) same(columnOf(part, scope), rows[i]?.column, scope)
}

/** Returns the column that an expression stands for, or a new one for a value. */
function columnOf(node: Node, scope: Scope): Column | undefined {
  const [kind, inner] = Object.entries<Node>(node ?? {})[0] ?? []
  switch (kind) {
    case 'ColumnRef': {
      const names = inner.fields.map((field: Node) => (field.A_Star ? '*' : nameIn(field)))
      return names.length > 1 ? find(scope, names.at(-1), names.at(-2)) : find(scope, names[0])
    }
    case 'ParamRef':
      return new Column('business', [inner.number])
    case 'A_Const':
      return inner.isnull ? undefined : new Column('business')
    case 'TypeCast':
      return columnOf(inner.arg, scope)
    case 'SubLink':
      return inner.subLinkType === 'EXPR_SUBLINK'
        ? readSubquery(inner, scope)[0]?.column
        : undefined
    case 'FuncCall':
      return isListCall(node) ? new Column('list') : undefined
    default:
      return undefined
  }
}

function readSubquery(sub: Node, scope: Scope): Output[] {
  const known = scope.whole.subqueries.get(sub)
  if (known) return known
  const rows = readStatement(sub.subselect, scope)
  scope.whole.subqueries.set(sub, rows)
  return rows
}

function readSubqueries(node: Node, scope: Scope): void {
  if (node === null || typeof node !== 'object') return
  if (node.SubLink) {
    readSubquery(node.SubLink, scope)
    readSubqueries(node.SubLink.testexpr, scope)
  } else for (const inner of Object.values(node)) readSubqueries(inner, scope)
}

const nameIn = (node: Node): string => node.String.sval

function same(one: Column | undefined, other: Column | undefined, { limited }: Scope): void {
  if (!one || !other) return
  one.equals(other)
  if (limited.has(one)) one.limitedBy(other)
  if (limited.has(other)) other.limitedBy(one)
}

const columnIn = (sources: Source[], name: string): Column | undefined =>
  sources.find(({ columns }) => columns.has(name))?.columns.get(name)

const renamed = (rows: Output[], names: string[] = []): Output[] =>
  rows.map(({ name, column }, i) => ({ name: names[i] ?? name, column }))

const rowOf = (node: Node): Node[] | undefined => node.RowExpr?.args

function functionName(node: Node): string {
  if (node.TypeCast) return functionName(node.TypeCast.arg)
  return node.FuncCall ? nameIn(node.FuncCall.funcname.at(-1)) : ''
}

const isListCall = (node: Node): boolean => LISTS.test(functionName(node)) && !mentionsColumn(node)

function mentionsColumn(node: Node): boolean {
  if (node === null || typeof node !== 'object') return false
  return 'ColumnRef' in node || Object.values(node).some(mentionsColumn)
}
