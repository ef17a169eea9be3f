import { Fine, Section } from './pieces.tsx'
import { texts } from './texts.ts'
import type { Sender } from './views.ts'

/** Whom to ask, line by line. */
export function footerLines({ name, email, phone }: Sender): string[] {
  const ask = email ? texts.replyTo(name) : texts.ask(name)
  return [ask, ...(phone ? [texts.phone(phone)] : []), texts.poweredBy]
}

export const Footer = ({ merchant }: { merchant: Sender }) => (
  <Section>
    {footerLines(merchant).map((line) => (
      <Fine key={line}>{line}</Fine>
    ))}
  </Section>
)
