import type { FastifyInstance } from 'fastify'
import { sendFile } from '../../http/send-file.ts'
import type { Deps } from '../deps.ts'
import { findLogo } from './service.ts'

const YEAR_SECONDS = 31_536_000

/** The logos themselves, for whoever has their address: payers, and mails that they open. */
export function mountLogos(
  server: FastifyInstance,
  deps: Pick<Deps, 'db' | 'files'>,
  takeToken: (ip: string) => void,
): void {
  server.get<{ Params: { key: string; version: string } }>(
    '/brand/:key/:version',
    async (request, reply) => {
      takeToken(request.ip)
      const found = await findLogo(deps, request.params.key, request.params.version)
      if ('movedTo' in found) {
        return reply.header('cache-control', 'public, max-age=60').redirect(found.movedTo, 302)
      }
      await sendFile(request, reply, found.file, {
        headers: {
          'cache-control': `public, max-age=${YEAR_SECONDS}, immutable`,
          'content-disposition': 'inline',
          'content-security-policy': "default-src 'none'; sandbox",
          // Mails are shown on pages of others.
          'cross-origin-resource-policy': 'cross-origin',
        },
        open: found.open,
      })
      return reply
    },
  )
}
