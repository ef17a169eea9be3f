import type { FastifyInstance } from 'fastify'

/**
 * Makes the routes in a Fastify scope receive bodies as the bytes that were sent, whatever their
 * content type, for signatures that are made over those bytes.
 */
export function readRaw(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser(
    '*',
    { parseAs: 'buffer' },
    async (_request: unknown, bytes: Buffer) => bytes,
  )
}
