import type { FastifyRequest } from 'fastify'

/** Whether a request was made on this machine itself, and not passed on by a proxy on it. */
export function isLocal({ headers, socket }: Pick<FastifyRequest, 'headers' | 'socket'>): boolean {
  const isPassedOn =
    headers['x-forwarded-for'] !== undefined ||
    headers.forwarded !== undefined ||
    headers['x-real-ip'] !== undefined ||
    headers.via !== undefined
  return !isPassedOn && /^(::1|(::ffff:)?127\.)/.test(socket.remoteAddress ?? '')
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/

/** Whether an address names this machine by what it calls itself. */
export const isLoopbackUrl = (url: string): boolean => LOOPBACK.test(URL.parse(url)?.hostname ?? '')

/**
 * Whether the browser believes that it talks to this machine. A page from elsewhere can have its
 * own name point here (DNS rebinding), but its requests then bear that name.
 */
export const isForLoopback = ({ headers }: Pick<FastifyRequest, 'headers'>): boolean =>
  isLoopbackUrl(`http://${headers.host ?? ''}`)
