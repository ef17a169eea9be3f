import { lookup } from 'node:dns/promises'
import { type AddressInfo, createServer } from 'node:net'
import type { FastifyInstance, FastifyListenOptions } from 'fastify'

/** Throws an error that says what to do if the server cannot listen. */
export async function requireFree(host: string, port: number): Promise<void> {
  try {
    await probePort(host, port)
  } catch (error) {
    throw cannotListen(error as NodeJS.ErrnoException, host, port)
  }
}

/** Chooses a free port, because links contain the port before the server listens on it. */
export const freePort = (host: string): Promise<number> => probePort(host, 0)

/** Listens for a moment. Returns the port. */
export async function probePort(host: string, port: number): Promise<number> {
  const address = await addressOf(host)
  const server = createServer()
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  server.once('error', reject).listen(port, address, () => {
    const { port: own } = server.address() as AddressInfo
    server.close(() => resolve(own))
  })
  return promise
}

/** Listens on the host's address. Throws an error that says what to do if it cannot. */
export async function listen(
  server: FastifyInstance,
  { host, port, ...options }: FastifyListenOptions & { host: string; port: number },
): Promise<void> {
  try {
    await server.listen({ port, host: await addressOf(host), ...options })
  } catch (error) {
    throw cannotListen(error as NodeJS.ErrnoException, host, port)
  }
}

/**
 * Returns one address of a host. For `localhost`, Fastify would open a second server, which would
 * neither keep requests in order nor finish them before it stops.
 */
const addressOf = async (host: string): Promise<string> =>
  (await lookup(host, { order: 'ipv4first' })).address

function cannotListen(error: NodeJS.ErrnoException, host: string, port: number): Error {
  const says: Record<string, string> = {
    EADDRINUSE: `Port ${port} is in use: stop the program that uses it, or set PORT to another port.`,
    EADDRNOTAVAIL: `This machine does not have the address ${host}: set HOST to one of its addresses.`,
    ENOTFOUND: `The host ${host} does not exist: set HOST to an address of this machine.`,
    EACCES: `Ordinary users cannot use port ${port}: set PORT to a number above 1023.`,
  }
  return new Error(says[error.code ?? ''] ?? error.message, { cause: error })
}
