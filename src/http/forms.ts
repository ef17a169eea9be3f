import { isUtf8 } from 'node:buffer'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { invalid, Problem } from '../lib/problem.ts'
import { isJsonUtf8, refuseBadText } from './json.ts'

const FORM = 'application/x-www-form-urlencoded'

/** Makes the operations in a Fastify scope accept only bodies that are forms. */
export function readOnlyForms(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser(
    FORM,
    { parseAs: 'buffer' },
    async (request: FastifyRequest, bytes: Buffer) => {
      const { 'content-encoding': encoding, 'content-type': type } = request.headers
      if ((encoding && encoding !== 'identity') || !isJsonUtf8(String(type))) throw noForm()
      return parseForm(bytes)
    },
  )
  scope.addContentTypeParser('*', async () => {
    throw noForm()
  })
}

const noForm = () =>
  new Problem('unsupported', 'unsupported_content_type', `Send the body as ${FORM} in UTF-8.`)

/** Empty values count as missing, and no field can be repeated (RFC 6749, 3.2). */
function parseForm(bytes: Buffer): Record<string, string> {
  if (!isUtf8(bytes)) throw new Problem('invalid', 'invalid_utf8', 'The body is not valid UTF-8.')
  const sent = [...new URLSearchParams(bytes.toString('utf8'))].filter(([, value]) => value !== '')
  const values = Object.fromEntries(sent)
  refuseBadText(values)
  const seen = new Set<string>()
  const repeated = sent.filter(([name]) => seen.size === seen.add(name).size)
  if (repeated.length === 0) return values
  throw invalid(Object.fromEntries(repeated.map(([name]) => [name, ['must be sent only once']])))
}
