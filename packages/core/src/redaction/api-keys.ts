const TEXT = 'A-Za-z0-9';
const HEX = '0-9a-f';
/** Nothing of the key's own alphabet may follow a body of fixed length. */
const END = `(?![${TEXT}])`;

/**
 * Keys that vendors mark with a prefix: the prefixes, and what must follow, as the source of a regular expression. Every
 * body ends in its own repetition or after a fixed number, so a match that begins can only succeed or stop early.
 */
export const API_KEY_PREFIXES: readonly (readonly [prefixes: string, body: string])[] = [
  // OpenAI, Anthropic (sk-ant-), OpenRouter (sk-or-), Langfuse (sk-lf-), DeepSeek and others
  ['sk-', `[${TEXT}_-]{16,}`],
  // GitHub
  ['ghp_ gho_ ghs_ ghu_ ghr_', `[${TEXT}]{20,}`],
  ['github_pat_', `[${TEXT}_]{20,}`],
  // GitLab
  ['glpat- glptt- gldt- glrt- glcbt- glft- glsoat- glagent- gloas- glimt- glffct-', `[${TEXT}_.-]{16,}`],
  ['GR1348941', `[${TEXT}_-]{20,}`],
  // Slack
  ['xoxa- xoxb- xoxc- xoxd- xoxe- xoxe. xoxo- xoxp- xoxr- xoxs-', `[${TEXT}-]{10,}`],
  ['xapp-', `[${TEXT}-]{20,}`],
  // AWS: key ids, keys of Bedrock, session tokens
  ['AKIA ASIA ABIA ACCA', `[A-Z0-9]{16}${END}`],
  ['ABSK', `[${TEXT}+/=]{60,}`],
  ['bedrock-api-key-', `[${TEXT}+/=]{20,}`],
  ['IQoJb3JpZ2lu FwoGZXIvYXdz', `[${TEXT}+/=]{60,}`],
  // Google API keys, OAuth access and refresh tokens, client secrets
  ['AIza', `[${TEXT}_-]{30,}`],
  ['ya29.', `[${TEXT}_-]{20,}`],
  ['1//0', `[${TEXT}_-]{30,}`],
  ['GOCSPX-', `[${TEXT}_-]{20,}`],
  // Azure DevOps, OpenShift, Alibaba, Yandex
  ['sha256~', `[${TEXT}_-]{40,}`],
  ['LTAI', `[${TEXT}]{16,20}${END}`],
  ['AQVN', `[${TEXT}_-]{30,}`],
  // Stripe, Clerk, Shippo, Square, EasyPost, Flutterwave, Duffel
  ['sk_live_ sk_test_ sk_prod_ rk_live_ rk_test_ rk_prod_', `[${TEXT}]{10,}`],
  ['whsec_', `[${TEXT}+/=]{20,}`],
  ['shippo_live_ shippo_test_', `[${HEX}]{30,}`],
  ['sq0atp- sq0csp-', `[${TEXT}_-]{20,}`],
  ['EAAA', `[${TEXT}_-]{50,}`],
  ['EAAM EAAC', `[${TEXT}]{60,}`],
  ['EZAK EZTK', `[${TEXT}]{50,}`],
  ['FLWPUBK- FLWSECK- FLWPUBK_TEST- FLWSECK_TEST-', `[${TEXT}-]{12,}`],
  ['duffel_test_ duffel_live_', `[${TEXT}_=-]{30,}`],
  // npm, PyPI, RubyGems, Clojars, Docker Hub, Artifactory
  ['npm_', `[${TEXT}]{30,}`],
  ['pypi-', `[${TEXT}_-]{40,}`],
  ['rubygems_', `[${HEX}]{40,}`],
  ['CLOJARS_', `[${TEXT}]{40,}`],
  ['dckr_pat_ dckr_oat_', `[${TEXT}_-]{20,}`],
  ['AKCp', `[${TEXT}]{60,}`],
  ['cmVmd', `[${TEXT}]{59}${END}`],
  // Hugging Face, Groq, xAI, Replicate, Perplexity, Tavily, NVIDIA, Firecrawl, Cerebras, E2B, Together, Fireworks
  ['hf_', `[${TEXT}]{30,}`],
  ['api_org_', `[${TEXT}]{30,}`],
  ['gsk_', `[${TEXT}]{40,}`],
  ['xai-', `[${TEXT}]{40,}`],
  ['r8_', `[${TEXT}]{36,}`],
  ['pplx-', `[${TEXT}]{40,}`],
  ['tvly-', `[${TEXT}-]{20,}`],
  ['nvapi-', `[${TEXT}_-]{40,}`],
  ['fc-', `[${HEX}]{32}`],
  ['csk-', `[${TEXT}]{40,}`],
  ['e2b_', `[${HEX}]{40}${END}`],
  ['tgp_v1_', `[${TEXT}_-]{30,}`],
  ['fw_', `[${TEXT}]{22,}`],
  // LangSmith, Prefect, Weights & Biases
  ['lsv2_pt_ lsv2_sk_', `[${TEXT}_]{30,}`],
  ['pnu_', `[${TEXT}]{36}`],
  ['wandb_v1_', `[${TEXT}_-]{30,}`],
  // SendGrid, Mailgun, Twilio key ids, Brevo, Resend, Mailchimp
  ['SG.', `[${TEXT}_-]{16,64}\\.[${TEXT}_-]{16,}`],
  ['key-', `[${HEX}]{32}${END}`],
  ['SK', `[${HEX}]{32}${END}`],
  ['xkeysib- xsmtpsib-', `[${TEXT}-]{40,}`],
  ['re_', `[${TEXT}]{8}_[${TEXT}]{20,}`],
  // DigitalOcean, Databricks, Shopify, Vault, Terraform Cloud agents, Pulumi, Grafana, Heroku, Fly, Vercel, Netlify, Render
  ['doo_v1_ dop_v1_ dor_v1_', `[${HEX}]{60,}`],
  ['dapi', `[${HEX}]{32}${END}`],
  ['shpat_ shpca_ shppa_ shpss_', `[${TEXT}]{30,}`],
  ['hvb. hvs. hvr.', `[${TEXT}_-]{24,}`],
  ['pul-', `[${HEX}]{40}${END}`],
  ['glsa_ glc_', `[${TEXT}_=+/]{30,}`],
  ['eyJrIjoi', `[${TEXT}]{60,}`],
  ['HRKU-AA', `[${TEXT}_-]{40,}`],
  ['fo1_ fm1a_ fm1r_ fm2_', `[${TEXT}_+/=-]{40,}`],
  ['vcp_ vci_ vck_ vca_ vcr_', `[${TEXT}]{24,}`],
  ['nfp_', `[${TEXT}]{36,}`],
  ['rnd_', `[${TEXT}]{28,}`],
  // Supabase, Neon, PlanetScale, Tailscale, Cloudflare origin keys
  ['sbp_', `[${HEX}]{40}${END}`],
  ['sb_secret_', `[${TEXT}_-]{20,}`],
  ['napi_', `[${TEXT}]{40,}`],
  ['pscale_pw_ pscale_tkn_ pscale_oauth_', `[${TEXT}_=.-]{32,}`],
  ['tskey-auth- tskey-api- tskey-client- tskey-scim- tskey-webhook-', `[${TEXT}-]{16,}`],
  ['v1.0-', `[${HEX}]{24}-[${HEX}]{100,}`],
  // Doppler, Dynatrace, 1Password, Harness, Infracost, Octopus, Frame.io, Postman, Readme, Airtable, Typeform
  ['dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.', `[${TEXT}_.-]{40,}`],
  ['dt0c01. dt0s01. dt0s02. dt0s06. dt0s16.', `[${TEXT}]{24}\\.[${TEXT}]{60,}`],
  ['A3-', `[A-Z0-9]{6}-[A-Z0-9]{6,11}-[A-Z0-9-]{17,}`],
  ['ops_eyJ', `[${TEXT}+/=_-]{60,}`],
  ['pat. sat.', `[${TEXT}_-]{22}\\.[${TEXT}]{24}\\.[${TEXT}]{20}`],
  ['ico-', `[${TEXT}]{32}${END}`],
  ['API-', `[A-Z0-9]{25,}${END}`],
  ['fio-u-', `[${TEXT}_=-]{50,}`],
  ['PMAK-', `[${HEX}]{24}-[${HEX}]{34}`],
  ['rdme_', `[${TEXT}]{60,}`],
  ['pat', `[${TEXT}]{14}\\.[${HEX}]{64}`],
  ['tfp_', `[${TEXT}_-]{40,}`],
  // Adafruit, Scalingo, SettleMint, Sourcegraph, SonarQube, Buildkite, CircleCI, Contentful, PostHog
  ['aio_', `[${TEXT}]{28}${END}`],
  ['tk-us-', `[${TEXT}_-]{40,}`],
  ['sm_aat_ sm_pat_ sm_sat_', `[${TEXT}]{16}${END}`],
  ['sgp_', `[${TEXT}_]{40,}`],
  ['squ_ sqp_ sqa_', `[${HEX}]{40}${END}`],
  ['bkua_ bkct_ bkat_', `[${TEXT}]{30,}`],
  ['CCIPAT_', `[${TEXT}_]{40,}`],
  ['CFPAT-', `[${TEXT}_-]{40,}`],
  ['phx_', `[${TEXT}]{40,}`],
  // Linear, Notion, Figma, Atlassian, Bitbucket, New Relic, Sentry, Asana
  ['lin_api_ lin_oauth_', `[${TEXT}]{30,}`],
  ['ntn_', `[${TEXT}]{40,}`],
  ['secret_', `[${TEXT}]{40,}`],
  ['figd_ figu_ figo_ figp_', `[${TEXT}_-]{36,}`],
  ['ATATT3x ATCTT3x', `[${TEXT}_=-]{40,}`],
  ['ATBB', `[${TEXT}]{28,}`],
  ['NRAK- NRII- NRJS-', `[${TEXT}]{19,}`],
  ['sntrys_ sntryu_', `[${TEXT}_=+/]{30,}`],
  ['0/ 1/ 2/', `\\d{16}:[${HEX}]{32}`],
  // Dropbox, Mapbox, age, extended keys of wallets
  ['sl.', `[${TEXT}_-]{100,}`],
  ['sk.eyJ', `[${TEXT}_.-]{60,}`],
  ['AGE-SECRET-KEY-1', '[0-9A-Z]{50,}'],
  ['xprv yprv zprv', `[${TEXT}]{100,}`],
];
