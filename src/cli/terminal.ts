import { AsyncLocalStorage } from 'node:async_hooks'
import type { Readable, Writable } from 'node:stream'

/** The parts of the process that a command uses. */
export interface Terminal {
  env: NodeJS.ProcessEnv
  stdin: Readable
  stdout: Writable
  stderr: Writable & { isTTY?: boolean }
  exitCode?: number | string | null | undefined
  once(signal: 'SIGINT' | 'SIGTERM', stop: () => void): unknown
}

const standIns = new AsyncLocalStorage<Terminal>()

/** Returns the process itself, unless a test runs the command with a stand-in. */
export const terminal = (): Terminal => standIns.getStore() ?? process

/** Runs `work` with a stand-in for the process. Several can run at the same time. */
export const withTerminal = <T>(standIn: Terminal, work: () => T): T => standIns.run(standIn, work)
