import { loadModule, parseSync } from 'libpg-query'
import { type Block, Column, find, type Output, type Scope, type Source } from './columns.ts'
import { businessColumn, REFERENCE_TABLES, type Schema } from './tables.ts'

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
    const reading = new Reading(schema)
    reading.statement(stmt, {
      sources: [],
      outer: undefined,
      ctes: new Map(),
      block: reading.block(),
    })
    return reading.breaches(values)
  })
}

/** Functions whose rows are a list that comes with the statement. */
const LISTS =
  /^(unnest|jsonb?_(to|populate)_recordset|jsonb?_array_elements(_text)?|string_to_table)$/

class Reading {
  readonly #schema: Schema
  readonly #blocks: Block[] = []
  readonly #subqueries = new Map<Node, Output[]>()
  readonly #locked: string[] = []

  constructor(schema: Schema) {
    this.#schema = schema
  }

  block(outer?: Block): Block {
    const block = { sources: [], outer }
    this.#blocks.push(block)
    return block
  }

  breaches(values: readonly unknown[]): Breach[] {
    const found: Breach[] = this.#locked.map((table) => ({
      rule: 'one business',
      says: `locks the whole table ${table}`,
    }))
    const all = this.#blocks.flatMap(({ sources }) => sources)
    for (const { table, use, key } of all) {
      if (use === 'read' || key!.bound) continue
      found.push({ rule: 'one business', says: `${use}s ${table} without naming a business` })
    }
    const named = all.flatMap(({ key }) => (key!.bound === 'business' ? key!.parameters : []))
    const businesses = new Set(named.map((place) => values[place - 1]).filter((id) => id != null))
    if (businesses.size > 1) {
      found.push({ rule: 'one business', says: `names several businesses: ${[...businesses]}` })
    }
    for (const block of this.#blocks) {
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

  /** Reads a statement, and returns the columns of its rows. */
  statement(node: Node, scope: Scope): Output[] {
    const [kind, inner] = Object.entries<Node>(node)[0]!
    switch (kind) {
      case 'SelectStmt':
        return this.#select(inner, scope)
      case 'InsertStmt':
        return this.#insert(inner, scope)
      case 'UpdateStmt':
      case 'DeleteStmt':
        return this.#change(inner, scope)
      case 'MergeStmt':
        return this.#merge(inner, scope)
      case 'ExplainStmt':
        return this.statement(inner.query, scope)
      case 'LockStmt':
      case 'TruncateStmt':
        this.#locked.push(...inner.relations.map(({ RangeVar }: Node) => RangeVar.relname))
        return []
      default:
        return []
    }
  }

  #inside(scope: Scope, block = scope.block): Scope {
    return { sources: [], outer: scope, ctes: new Map(scope.ctes), block }
  }

  #with(clause: Node, scope: Scope): void {
    for (const { CommonTableExpr: cte } of clause?.ctes ?? []) {
      const names = cte.aliascolnames?.map(nameIn)
      if (clause.recursive && cte.ctequery.SelectStmt?.op === 'SETOP_UNION') {
        // The first arm gives the columns that the second refers to.
        const first = this.statement(
          { SelectStmt: cte.ctequery.SelectStmt.larg },
          this.#inside(scope),
        )
        scope.ctes.set(cte.ctename, renamed(first, names))
      }
      const rows = this.statement(cte.ctequery, this.#inside(scope))
      const known = scope.ctes.get(cte.ctename)
      for (const [i, { column }] of known?.entries() ?? []) same(column, rows[i]?.column)
      scope.ctes.set(cte.ctename, renamed(rows, names))
    }
  }

  #select(node: Node, outer: Scope): Output[] {
    const scope = this.#inside(outer)
    this.#with(node.withClause, scope)
    if (node.valuesLists) return this.#values(node.valuesLists, scope)
    if (node.op !== 'SETOP_NONE') return this.#both(node, scope)
    for (const item of node.fromClause ?? []) this.#from(item, scope)
    this.#where(node.whereClause, scope)
    const { targetList, groupClause, havingClause, sortClause, windowClause } = node
    // Without a `from`, each subquery is a statement of its own.
    if (scope.sources.length > 0) this.#subqueriesIn([targetList, groupClause, havingClause], scope)
    this.#subqueriesIn([sortClause, windowClause, node.limitCount, node.limitOffset], scope)
    for (const { LockingClause } of node.lockingClause ?? []) {
      const names = LockingClause.lockedRels?.map(({ RangeVar }: Node) => RangeVar.relname)
      for (const source of scope.sources) {
        if (source.key && (names?.includes(source.name) ?? true) && source.use === 'read')
          source.use = 'lock'
      }
    }
    const isPlain = scope.sources.length > 0
    return (targetList ?? []).flatMap(({ ResTarget: target }: Node) =>
      this.#output(target, isPlain ? scope : this.#inside(scope, this.block(scope.block))),
    )
  }

  #values(lists: Node[], scope: Scope): Output[] {
    const rows = lists.map(({ List }) => List.items as Node[])
    return rows[0]!.map((_, i) => {
      const columns = rows.map((row) => this.#expression(row[i], scope))
      const isBound = columns.every((column) => column?.bound)
      const column = columns.length === 1 ? columns[0] : isBound ? new Column('list') : undefined
      return { name: `column${i + 1}`, column }
    })
  }

  /** Reads both arms of a `union`. What they have in common is only what the outside joins. */
  #both(node: Node, scope: Scope): Output[] {
    const [left, right] = [node.larg, node.rarg].map((arm: Node) =>
      this.#select(arm, this.#inside(scope, this.block(scope.block))),
    )
    return left!.map(({ name, column }, i) => {
      const other = right![i]?.column
      if (!column || !other) return { name, column: undefined }
      if (column.bound && other.bound) return { name, column: new Column('list') }
      if (!column.bound && !other.bound) column.equals(other)
      return { name, column: column.bound ? other : column }
    })
  }

  #from(item: Node, scope: Scope): Source[] {
    const before = scope.sources.length
    const added = () => scope.sources.slice(before)
    if (item.RangeVar) this.#table(item.RangeVar, scope)
    else if (item.RangeSubselect) {
      const { subquery, alias } = item.RangeSubselect
      const rows = this.statement(subquery, scope)
      this.#derived(scope, alias?.aliasname ?? '', renamed(rows, alias?.colnames?.map(nameIn)))
    } else if (item.RangeFunction) this.#function(item.RangeFunction, scope)
    else if (item.JoinExpr) {
      const { larg, rarg, quals, usingClause, isNatural } = item.JoinExpr
      const left = this.#from(larg, scope)
      const right = this.#from(rarg, scope)
      for (const name of usingClause?.map(nameIn) ?? []) {
        same(columnIn(left, name), columnIn(right, name))
      }
      if (isNatural) same(columnIn(left, 'business_id'), columnIn(right, 'business_id'))
      this.#where(quals, scope)
    } else throw new Error(`unknown in a from: ${Object.keys(item)}`)
    return added()
  }

  #table({ relname, schemaname, alias }: Node, scope: Scope, use: Source['use'] = 'read'): Source {
    const name = alias?.aliasname ?? relname
    const cte = schemaname || use === 'write' ? undefined : scope.ctes.get(relname)
    if (cte) return this.#derived(scope, name, renamed(cte, alias?.colnames?.map(nameIn)))
    const columns = this.#schema[relname]
    const business = columns && businessColumn(relname, columns)
    if (columns === undefined && schemaname === undefined && !/^pg_/.test(relname)) {
      throw new Error(`unknown table ${relname}`)
    }
    const key = business === undefined ? undefined : new Column()
    const all = new Map<string, Column | undefined>(columns?.map((column) => [column, undefined]))
    if (business !== undefined) all.set(business, key)
    const isTenant = key !== undefined && !REFERENCE_TABLES.includes(relname)
    const source: Source = { name, columns: all, use, ...(isTenant && { table: relname, key }) }
    scope.sources.push(source)
    if (isTenant) scope.block.sources.push(source)
    return source
  }

  #derived(scope: Scope, name: string, rows: Output[]): Source {
    const columns = new Map(rows.map((row) => [row.name, row.column]))
    const source: Source = { name, columns, use: 'read' }
    scope.sources.push(source)
    return source
  }

  #function({ functions, alias, coldeflist }: Node, scope: Scope): void {
    const calls: Node[] = functions.map(({ List }: Node) => List.items[0])
    for (const call of calls) this.#subqueriesIn(call, scope)
    const isList = calls.every((call) => isListCall(call))
    const row = /^jsonb?_populate_recordset$/.test(functionName(calls[0]))
      ? this.#schema[calls[0].FuncCall.args[0].TypeCast?.typeName.names[0].String.sval]
      : undefined
    const names: string[] = alias?.colnames?.map(nameIn) ??
      coldeflist?.map(({ ColumnDef }: Node) => ColumnDef.colname) ??
      row ?? [alias?.aliasname ?? functionName(calls[0])]
    const key = isList ? new Column('list') : undefined
    const rows = names.map((name) => ({ name, column: key }))
    this.#derived(scope, alias?.aliasname ?? functionName(calls[0]), rows)
  }

  #insert(node: Node, outer: Scope): Output[] {
    const scope = this.#inside(outer)
    this.#with(node.withClause, scope)
    const target = this.#table(node.relation, scope, 'write')
    const names: string[] = node.cols?.map(({ ResTarget }: Node) => ResTarget.name) ?? [
      ...target.columns.keys(),
    ]
    const rows = node.selectStmt
      ? this.statement(node.selectStmt, this.#inside({ ...scope, sources: [] }))
      : []
    for (const [i, name] of names.entries()) same(target.columns.get(name), rows[i]?.column)
    const conflict = node.onConflictClause
    if (conflict) {
      const inside = this.#inside(scope)
      inside.sources.push({ ...target, name: 'excluded' })
      this.#where(conflict.whereClause, inside)
      this.#subqueriesIn(conflict.targetList, inside)
    }
    return this.#returning(node, scope)
  }

  #change(node: Node, outer: Scope): Output[] {
    const scope = this.#inside(outer)
    this.#with(node.withClause, scope)
    this.#table(node.relation, scope, 'write')
    for (const item of node.fromClause ?? node.usingClause ?? []) this.#from(item, scope)
    this.#where(node.whereClause, scope)
    this.#subqueriesIn(node.targetList, scope)
    return this.#returning(node, scope)
  }

  #merge(node: Node, outer: Scope): Output[] {
    const scope = this.#inside(outer)
    this.#with(node.withClause, scope)
    this.#table(node.relation, scope, 'write')
    this.#from(node.sourceRelation, scope)
    this.#where(node.joinCondition, scope)
    this.#subqueriesIn(node.mergeWhenClauses, scope)
    return this.#returning(node, scope)
  }

  #returning({ returningClause, returningList }: Node, scope: Scope): Output[] {
    const list = returningClause?.exprs ?? returningList ?? []
    return list.flatMap(({ ResTarget }: Node) => this.#output(ResTarget, scope))
  }

  #output({ name, val }: Node, scope: Scope): Output[] {
    const fields = val.ColumnRef?.fields
    if (fields?.at(-1)?.A_Star) {
      const of = fields.length > 1 ? nameIn(fields[0]) : undefined
      return scope.sources
        .filter((source) => of === undefined || source.name === of)
        .flatMap(({ columns }) => [...columns].map(([name, column]) => ({ name, column })))
    }
    this.#subqueriesIn(val, scope)
    const column = this.#expression(val, scope)
    return [{ name: name ?? (fields ? nameIn(fields.at(-1)) : functionName(val)), column }]
  }

  /** Merges the columns that must be equal for a condition to hold. */
  #where(condition: Node, scope: Scope): void {
    if (!condition) return
    if (condition.BoolExpr?.boolop === 'AND_EXPR') {
      for (const part of condition.BoolExpr.args) this.#where(part, scope)
      return
    }
    this.#subqueriesIn(condition, scope)
    const { A_Expr: compared, SubLink: sub } = condition
    if (sub?.subLinkType === 'ANY_SUBLINK') {
      this.#equal(sub.testexpr, this.#subquery(sub, scope), scope)
    } else if (compared?.name?.[0].String.sval === '=') {
      const { kind, lexpr, rexpr } = compared
      if (kind === 'AEXPR_OP' || kind === 'AEXPR_NOT_DISTINCT') this.#pair(lexpr, rexpr, scope)
      if (kind === 'AEXPR_IN' || kind === 'AEXPR_OP_ANY') this.#oneOf(lexpr, rexpr, scope)
    }
  }

  #pair(left: Node, right: Node, scope: Scope): void {
    const row = rowOf(right)
    if (rowOf(left) && row)
      this.#equal(
        left,
        row.map((one) => ({ name: '', column: this.#expression(one, scope) })),
        scope,
      )
    else if (rowOf(left) && right.SubLink)
      this.#equal(left, this.#subquery(right.SubLink, scope), scope)
    else same(this.#expression(left, scope), this.#expression(right, scope))
  }

  #oneOf(left: Node, right: Node, scope: Scope): void {
    const choices: Node[] = right.List?.items ?? [right]
    if (right.SubLink) this.#equal(left, this.#subquery(right.SubLink, scope), scope)
    else if (choices.some((choice) => mentionsColumn(choice))) return
    else
      for (const one of rowOf(left) ?? [left])
        same(this.#expression(one, scope), new Column('list'))
  }

  #equal(left: Node, rows: Output[], scope: Scope): void {
    const parts = rowOf(left) ?? [left]
    for (const [i, part] of parts.entries()) same(this.#expression(part, scope), rows[i]?.column)
  }

  /** Returns the column that an expression stands for, or a new one for a value. */
  #expression(node: Node, scope: Scope): Column | undefined {
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
        return this.#expression(inner.arg, scope)
      case 'SubLink':
        return inner.subLinkType === 'EXPR_SUBLINK'
          ? this.#subquery(inner, scope)[0]?.column
          : undefined
      case 'FuncCall':
        return isListCall(node) ? new Column('list') : undefined
      default:
        return undefined
    }
  }

  #subquery(sub: Node, scope: Scope): Output[] {
    const known = this.#subqueries.get(sub)
    if (known) return known
    const rows = this.statement(sub.subselect, scope)
    this.#subqueries.set(sub, rows)
    return rows
  }

  #subqueriesIn(node: Node, scope: Scope): void {
    if (node === null || typeof node !== 'object') return
    if (node.SubLink) {
      this.#subquery(node.SubLink, scope)
      this.#subqueriesIn(node.SubLink.testexpr, scope)
    } else for (const inner of Object.values(node)) this.#subqueriesIn(inner, scope)
  }
}

const nameIn = (node: Node): string => node.String.sval

function same(one: Column | undefined, other: Column | undefined): void {
  if (one && other) one.equals(other)
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
