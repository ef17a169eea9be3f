import { type AddressInfo, createServer } from 'node:net'

/** Throws an error that says what to do if the server cannot listen. */
export async function requireFree(host: string, port: number): Promise<void> {
  const probe = createServer()
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  probe.once('error', (error) => reject(cannotListen(error, host, port)))
  probe.listen(port, host, () => probe.close(() => resolve()))
  await promise
}

/** Chooses a free port, because links contain the port before the server listens on it. */
export function freePort(host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject)
    probe.listen(0, host, () => {
      const { port } = probe.address() as AddressInfo
      probe.close(() => resolve(port))
    })
  })
}

export function cannotListen(error: NodeJS.ErrnoException, host: string, port: number): Error {
  const says: Record<string, string> = {
    EADDRINUSE: `Port ${port} is in use: stop the program that uses it, or set PORT to another port.`,
    EADDRNOTAVAIL: `This machine does not have the address ${host}: set HOST to one of its addresses.`,
    ENOTFOUND: `The host ${host} does not exist: set HOST to an address of this machine.`,
    EACCES: `Ordinary users cannot use port ${port}: set PORT to a number above 1023.`,
  }
  return new Error(says[error.code ?? ''] ?? error.message, { cause: error })
}
