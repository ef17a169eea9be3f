/**
 * Marks an operation as an alias: the same operation at a second URL. The value is the operation's
 * name.
 */
export const ALIAS = 'x-alias-of'
/** Marks a POST that changes nothing and takes no Idempotency-Key. */
export const READS = 'x-reads'
/** Added to the description of an operation with a second URL. The SDK's docs leave it out. */
export const HAS_ALIAS = 'Also available under `/v1/`, without `external`.'

interface Document {
  paths: Record<string, Record<string, object>>
}

/**
 * Returns the document for tools that read one operation at a time: without aliases, and with every
 * reference replaced by its target.
 */
export function plainDocument<T extends Document>(document: T): T {
  const paths = Object.entries(document.paths).flatMap(([path, methods]) => {
    const own = Object.entries(methods).filter(([, operation]) => !(ALIAS in operation))
    return own.length > 0 ? [[path, Object.fromEntries(own)] as const] : []
  })
  return resolved({ ...document, paths: Object.fromEntries(paths) }, document) as T
}

function resolved(part: unknown, document: object): unknown {
  if (typeof part !== 'object' || part === null) return part
  if (Array.isArray(part)) return part.map((one) => resolved(one, document))
  const { $ref } = part as { $ref?: unknown }
  if (typeof $ref === 'string') return resolved(referred($ref, document), document)
  const entries = Object.entries(part).map(([name, one]) => [name, resolved(one, document)])
  return Object.fromEntries(entries)
}

/** Returns the target of a reference such as `#/components/headers/ETag`. */
function referred(pointer: string, document: object): unknown {
  const steps = pointer.split('/').slice(1)
  return steps
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce(
      (part: unknown, step) => (part as Record<string, unknown> | undefined)?.[step],
      document,
    )
}
