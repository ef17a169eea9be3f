/**
 * Of a name that is nobody's, signed by itself and known to no one: what a test's own server shows.
 * The key guards nothing. Valid until 2126.
 */
export const CERTIFICATE = {
  host: 'hooks.example.com',
  cert: `-----BEGIN CERTIFICATE-----
MIIBrTCCAVOgAwIBAgIUQXI1L6K4k6knefoT7ZCICkVCURAwCgYIKoZIzj0EAwIw
HDEaMBgGA1UEAwwRaG9va3MuZXhhbXBsZS5jb20wIBcNMjYxMTIyMDcyNTI5WhgP
MjEyNjEwMjkwNzI1MjlaMBwxGjAYBgNVBAMMEWhvb2tzLmV4YW1wbGUuY29tMFkw
EwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEXUKOYMJjNJMEaUraDuqr2F2FXesCl9c3
Bh2O3RdOu4PPgCSiBWyYMNNizg8WwhClub55R6zJaYfqMa2lClrQ8qNxMG8wHQYD
VR0OBBYEFNvreptL0JkRznNQfAjaRb7UKakwMB8GA1UdIwQYMBaAFNvreptL0JkR
znNQfAjaRb7UKakwMA8GA1UdEwEB/wQFMAMBAf8wHAYDVR0RBBUwE4IRaG9va3Mu
ZXhhbXBsZS5jb20wCgYIKoZIzj0EAwIDSAAwRQIhAOLk8qOe2w0ngEZhkzTdEkY0
GAHZoZyJ/lKGk9/n0p5QAiAvmgR/1CVz3hkHLFA03Ci9b74zt+RkK8agNWlFGLoL
QA==
-----END CERTIFICATE-----`,
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg0usjTLwxdfxi7d3J
o6+Q09fxNrcarja6p91mmfq6u5+hRANCAARdQo5gwmM0kwRpStoO6qvYXYVd6wKX
1zcGHY7dF067g8+AJKIFbJgw02LODxbCEKW5vnlHrMlph+oxraUKWtDy
-----END PRIVATE KEY-----`,
}
