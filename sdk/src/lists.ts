/** Of lists with numbered pages. `total` is exact up to 10,000, as `totalIsExact` says. */
export interface PageMeta {
  total: number
  totalIsExact: boolean
  page: number
  limit: number
  pageCount: number
  hasNext: boolean
  hasPrevious: boolean
}

/** Of lists that go on by a cursor, which stays in place while records are added. */
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

/** While going through a list, as many at once as the server gives. */
const LIMIT_MAX = 100
/** The server's own, where it insists on being told. */
const LIMIT_DEFAULT = 20

/**
 * What a list method gives. Awaited, it is the page that was asked for; in `for await`, every record
 * from there on, page by page, however the server counts them:
 *
 *     const { data, meta } = await tradepost.invoices.list({ status: 'Paid' })
 *     for await (const invoice of tradepost.invoices.list({ status: 'Paid' })) …
 *
 * Nothing is asked of the server before one of the two begins. While records are added, a list with
 * numbered pages, newest first, may show one again; `sort: 'ASC'` keeps it from that.
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

  // biome-ignore lint/suspicious/noThenProperty: it is awaited
  then<A = Page<Item, Meta>, B = never>(
    done?: ((page: Page<Item, Meta>) => A | PromiseLike<A>) | null,
    failed?: ((error: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    this.#first ??= this.#ask(this.#startingWith(LIMIT_DEFAULT))
    return this.#first.then(done, failed)
  }

  /** Page by page, from the one that was asked for. */
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

  /** Every record, or the first `max` of them. */
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

/** What to ask for after this page; nothing after the last one. */
function nextOf(input: Input, meta: PageMeta | CursorMeta | undefined): Input | undefined {
  if (!meta) return undefined
  if ('next' in meta) {
    // One that leads back to itself would be asked for ever.
    const isFurther = meta.next !== null && meta.next !== input.cursor
    return isFurther ? { ...input, cursor: meta.next } : undefined
  }
  return meta.hasNext ? { ...input, page: meta.page + 1 } : undefined
}
