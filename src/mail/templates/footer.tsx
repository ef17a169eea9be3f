import { Fine, Section } from './pieces.tsx'
import { texts } from './texts.ts'

interface Merchant {
  name: string
  email?: string
  phone?: string
}

/** Whom to ask, line by line. */
export function footerLines({ name, email, phone }: Merchant): string[] {
  const ask = email ? texts.replyTo(name) : texts.ask(name)
  return [ask, ...(phone ? [texts.phone(phone)] : []), texts.poweredBy]
}

export const Footer = ({ merchant }: { merchant: Merchant }) => (
  <Section>
    {footerLines(merchant).map((line) => (
      <Fine key={line}>{line}</Fine>
    ))}
  </Section>
)
