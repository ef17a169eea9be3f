/** The meta of a list with numbered pages. `total` is exact up to 10,000; see `totalIsExact`. */
export interface PageMeta {
  total: number
  totalIsExact: boolean
  page: number
  limit: number
  pageCount: number
  hasNext: boolean
  hasPrevious: boolean
}

/** The meta of a list with a cursor, which keeps its place when records are added. */
export interface CursorMeta {
  limit: number
  next: string | null
  previous: string | null
  hasMore: boolean
}

export interface Page<Item, Meta = PageMeta | CursorMeta | undefined> {
  data: Item[]
  meta: Meta
}

type Input = Record<string, unknown>
type Paging = 'page' | 'cursor' | 'whole'

/** The page size for iterating over a list: the server's maximum. */
const LIMIT_MAX = 100
/** The server's default, sent to lists that require a limit. */
const LIMIT_DEFAULT = 20

/**
 * The result of a list method. Await it to get the requested page. Use `for await` to get every
 * record from that page onwards, whichever way the server paginates them:
 *
 *     const { data, meta } = await tradepost.invoices.list({ status: 'Paid' })
 *     for await (const invoice of tradepost.invoices.list({ status: 'Paid' })) …
 *
 * A list doesn't send a request until you do one of these. If records are added while you iterate,
 * a list that has numbered pages and starts with the newest record can return a record twice.
 * `sort: 'ASC'` prevents that.
 */
export class List<Item, Meta = PageMeta | CursorMeta | undefined>
  implements PromiseLike<Page<Item, Meta>>, AsyncIterable<Item>
{
  readonly #ask: (input: Input) => Promise<Page<Item, Meta>>
  readonly #input: Input
  readonly #paging: Paging
  #first: Promise<Page<Item, Meta>> | undefined

  constructor(ask: (input: Input) => Promise<Page<Item, Meta>>, input: Input, paging: Paging) {
    this.#ask = ask
    this.#input = input
    this.#paging = paging
  }

  // biome-ignore lint/suspicious/noThenProperty: callers await it
  then<A = Page<Item, Meta>, B = never>(
    done?: ((page: Page<Item, Meta>) => A | PromiseLike<A>) | null,
    failed?: ((error: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    this.#first ??= this.#ask(this.#startingWith(LIMIT_DEFAULT))
    return this.#first.then(done, failed)
  }

  /** Iterates over pages, starting with the requested one. */
  async *pages(): AsyncGenerator<Page<Item, Meta>, void, undefined> {
    let input: Input | undefined = this.#startingWith(LIMIT_MAX)
    while (input) {
      const page: Page<Item, Meta> = await this.#ask(input)
      yield page
      input = nextOf(input, page.meta as PageMeta | CursorMeta | undefined)
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for await (const { data } of this.pages()) yield* data
  }

  /** Returns every record, or the first `max`. */
  async toArray({ max = Number.POSITIVE_INFINITY } = {}): Promise<Item[]> {
    const items: Item[] = []
    if (max <= 0) return items
    for await (const item of this) if (items.push(item) >= max) break
    return items
  }

  #startingWith(limit: number): Input {
    if (this.#paging === 'whole') return this.#input
    const { page, ...others } = this.#input
    const first = this.#paging === 'page' ? { page: page ?? 1 } : {}
    return { ...others, ...first, limit: this.#input.limit ?? limit }
  }
}

/** Returns the query for the next page, or undefined after the last one. */
function nextOf(input: Input, meta: PageMeta | CursorMeta | undefined): Input | undefined {
  if (!meta) return undefined
  if ('next' in meta) {
    // A cursor that leads back to itself would cause an endless loop.
    const isFurther = meta.next !== null && meta.next !== input.cursor
    return isFurther ? { ...input, cursor: meta.next } : undefined
  }
  return meta.hasNext ? { ...input, page: meta.page + 1 } : undefined
}
