import { spawn, spawnSync } from 'node:child_process'
import { text } from 'node:stream/consumers'
import type { Found } from './catalogue.ts'
import type { Business, Rig } from './rigs.ts'
import { stallOf, watchStalls } from './stalls.ts'

/* Attacks by programs that are not part of the project. */

const TOOL_MS = 600_000
const SALES = '/api/payment-service/external/v1'

/** Why a program cannot be used, or undefined if it is installed. */
export function lacksProgram(name: string): string | undefined {
  const { status } = spawnSync('sh', ['-c', `command -v ${name}`])
  return status === 0 ? undefined : `${name} is not installed (Debian has a package ${name})`
}

/** Slow headers, slow bodies and slow reading from 500 connections each. */
export async function runSlowhttptest({ url }: Rig): Promise<Found> {
  const stalls = watchStalls(url)
  const shared = ['-c', '500', '-r', '100', '-i', '2', '-l', '40', '-p', '10', '-u']
  const kinds = [
    ['-H', ...shared, `${url}${SALES}/invoices`],
    ['-B', ...shared, `${url}/oauth/token`],
    ['-X', '-w', '10', '-y', '20', '-n', '5', '-z', '32', ...shared, `${url}/openapi.json`],
  ]
  for (const args of kinds) await output('slowhttptest', args)
  const longestMs = await stalls.end()
  const says = `500 connections of 3 kinds; /health/live took at most ${Math.round(longestMs)} ms`
  return { violations: stallOf('P7', longestMs), checks: kinds.length, says }
}

/** Looks for SQL injection in searches, ids and bodies. */
export async function runSqlmap(
  { url }: Rig,
  _random: unknown,
  business: Business,
): Promise<Found> {
  const shared = [
    ...['--batch', '--flush-session', '--disable-coloring', '--dbms=PostgreSQL', '--level=2'],
    ...['--risk=2', '--threads=4', '--ignore-code=400,404,409', '--technique=BEUST'],
    `--headers=Authorization: Bearer ${business.keys.testSecret}`,
  ]
  const targets = [
    ['-u', `${url}${SALES}/invoices?search=ada&status=Sent&limit=5`],
    ['-u', `${url}${SALES}/products/get-products?search=a&type=physical`],
    ['-u', `${url}/api/transaction-service/external/v1/transactions?search=a&reference=TRX_a`],
    ['-u', `${url}${SALES}/invoices/INV_a*`],
    [
      ...['-u', `${url}${SALES}/products/verify-discount-code`],
      '--data={"code":"SAMPLE","amount":100}',
    ],
  ]
  const violations = []
  for (const target of targets) {
    const said = await output('sqlmap', [...target, ...shared])
    const found = /(?:is vulnerable|injection point|Parameter: .*\n\s+Type: ).*/.exec(said)
    if (found) violations.push({ promise: 'P6', what: `sqlmap ${target[1]}: ${found[0]}` })
    if (!/tested parameters|do not appear to be injectable/.test(said)) {
      violations.push({ promise: 'P6', what: `sqlmap ended early: ${said.slice(-300)}` })
    }
  }
  return { violations, checks: targets.length, says: `${targets.length} URLs` }
}

async function output(program: string, args: readonly string[]): Promise<string> {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  const timer = setTimeout(() => child.kill('SIGKILL'), TOOL_MS)
  try {
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)])
    return stdout + stderr
  } finally {
    clearTimeout(timer)
  }
}
