export const t = {
  email: 'E-mail address',
  password: 'Password',
  passwordHelp: 'At least 12 characters. A few words that belong to nobody else are best.',
  name: 'Your name',
  code: 'Code from your authenticator app',
  codeHelp: 'Or one of your recovery codes.',
  back: 'Back to sign in',
  signIn: { title: 'Sign in', go: 'Sign in', forgot: 'Forgotten your password?' },
  passkey: { or: 'or', go: 'Use a passkey', failed: 'No passkey was used.' },
  again: {
    title: 'Sign in to go on',
    text: 'Your session ended. What you typed is still there, and nothing of it was saved yet.',
    other: 'Discard it, and sign in as somebody else',
  },
  signUp: {
    title: (business: string | undefined) =>
      business ? `Join ${business}` : 'Create your account',
    text: (role: string | undefined) =>
      role === 'owner' || !role
        ? 'You will be the owner: you invite others, and decide what they may do.'
        : `You were invited as ${role}.`,
    go: 'Create the account',
  },
  link: { title: 'This could not be loaded', again: 'Try again' },
  badLink: {
    title: 'This link is no longer good',
    text: 'It was used already, or it has expired. Ask whoever sent it to you for a new one.',
    resetText: 'It was used already, or it has expired. We can send you a new one.',
    again: 'Send me a new link',
  },
  forgot: {
    title: 'Forgotten your password?',
    text: 'We send you a link. With it you set a new one.',
    go: 'Send the link',
    sentTitle: 'Check your e-mail',
    sentText:
      'If there is an account with that address, a link is on its way. It works for 30 minutes.',
  },
  reset: {
    title: 'Set a new password',
    text: 'You will be signed out everywhere else.',
    go: 'Set the password',
  },
}
