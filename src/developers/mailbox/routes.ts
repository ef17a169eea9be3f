import type { FastifyInstance, FastifyRequest } from 'fastify'
import { isForLoopback, isLocal } from '../../http/ip-addresses.ts'
import { EMAIL_PAGE_HEADERS, servePages } from '../../http/pages.ts'
import type { Mounted } from '../../http/route.ts'
import { Problem } from '../../lib/problem.ts'
import {
  findMailByName,
  listNewestMails,
  type MailboxDeps,
  type MailSummary,
  type MailWithContent,
} from '../../mail/mailbox.ts'
import {
  type MailListed,
  type MailView,
  renderMailboxPage,
  renderMailPage,
} from '../../pages/pages.ts'

const page = (operation: string, url: string): Mounted => ({
  method: 'GET',
  url,
  operation,
  status: 200,
  errors: 'fields',
})
const LIST = page('show_mailbox', '/mailbox')
const ONE = page('show_mail', '/mailbox/:mail')

interface Params {
  mail: string
}

/**
 * Shows emails that were not sent, for developers on this machine. The mailbox has no sign-in yet,
 * so it is mounted only on local servers and responds only to local requests.
 */
export function mountMailbox(
  server: FastifyInstance,
  deps: MailboxDeps,
  takeToken: (ip: string) => void,
): Mounted[] {
  void server.register(async (pages) => {
    const { page } = servePages(pages, takeToken)
    pages.addHook('onRequest', async (request) => onlyHere(request))
    // Only the page for an email shows content from our origin in a frame.
    pages.addHook('onSend', async (request, reply) => {
      if (request.routeOptions.url !== ONE.url) return
      const policy = String(reply.getHeader('content-security-policy'))
      reply.header('content-security-policy', `${policy}; frame-src 'self'`)
    })

    pages.get(LIST.url, async (request, reply) => {
      const mails = (await listNewestMails(deps)).map(lineOf)
      return page(request, reply, (ctx) => renderMailboxPage({ mails }, ctx))
    })

    pages.get<{ Params: Params }>(ONE.url, async (request, reply) => {
      const view = readOf(await keptAt(deps, request.params.mail))
      return page(request, reply, (ctx) => renderMailPage(view, ctx))
    })

    pages.get<{ Params: Params }>(`${ONE.url}/html`, async (request, reply) => {
      const { content: letter } = await keptAt(deps, request.params.mail)
      if (!letter) throw nothingHere()
      return reply.headers(EMAIL_PAGE_HEADERS).send(letter.html)
    })
  })
  return [LIST, ONE]
}

const nothingHere = () => new Problem('not_found', 'route_not_found', 'There is nothing here.')

/** Responds with 404 to everyone else, as if there were no mailbox. */
function onlyHere(request: FastifyRequest): void {
  if (!isLocal(request) || !isForLoopback(request)) throw nothingHere()
}

async function keptAt(deps: MailboxDeps, name: string): Promise<MailWithContent> {
  const kept = await findMailByName(deps, name)
  if (!kept) throw nothingHere()
  return kept
}

const lineOf = ({ mail, name, subject, at }: MailSummary): MailListed => ({
  path: `/mailbox/${name}`,
  subject: subject ?? null,
  to: mail.to_address,
  status: mail.status,
  createdAt: at,
})

const readOf = (kept: MailWithContent): MailView => ({
  ...lineOf(kept),
  createdAt: kept.mail.created_at,
  attempts: kept.mail.attempts,
  error: kept.mail.last_error,
  ...(kept.content && {
    letter: {
      from: kept.content.fromName,
      replyTo: kept.content.replyTo,
      text: kept.content.text,
    },
  }),
})
