import type { RequestRecord } from '../../../../sdk/src/operations.ts'

/** A word of a shell, whatever is in it. */
const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`

/**
 * The same call for a terminal. The key is left out: whoever runs it has it in TRADEPOST_KEY. So is
 * the Idempotency-Key, because with it one would get the old answer.
 */
export function curlOf(
  { method, url, requestBody }: Pick<RequestRecord, 'method' | 'url' | 'requestBody'>,
  origin: string,
): string {
  const parts = [
    `curl${method === 'GET' ? '' : ` -X ${method}`} ${quoted(origin + url)}`,
    `-H "Authorization: Bearer $TRADEPOST_KEY"`,
    ...(requestBody === null
      ? []
      : [`-H 'Content-Type: application/json'`, `-d ${quoted(requestBody)}`]),
  ]
  return parts.join(' \\\n  ')
}
