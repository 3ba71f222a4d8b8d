/*
 * Speaks the command line of Criterion.rs, and leaves its files, as far as steady needs them: real
 * programs of Criterion.rs take a minute to be built. WORK is how much each benchmark does.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char *help = "This executable is a Criterion.rs benchmark.";
static const char *names[] = {"plain", "odd/a.b+c(d) [e]*/7", "-dash", "panics", "aborts", "hangs"};

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e9 + t.tv_nsec;
}

static double timed(long operations) {
  double begin = now();
  for (volatile long i = 0; i < operations * WORK; i++) {
  }
  return now() - begin;
}

static FILE *opened(const char *name) {
  char path[4096];
  const char *folders[] = {"", "/group", "/group/new"};
  for (int i = 0; i < 3; i++) {
    snprintf(path, sizeof path, "%s%s", getenv("CRITERION_HOME"), folders[i]);
    mkdir(path, 0700);
  }
  strcat(strcat(path, "/"), name);
  return fopen(path, "w");
}

static void measure(const char *name, double warmup, double seconds, long samples) {
  double took = 0, done = 0;
  for (long operations = 1; took <= warmup * 1e9; operations *= 2) {
    took += timed(operations);
    done += operations;
  }
  double each = seconds * 1e9 / (took / done) / (samples * (samples + 1) / 2);
  FILE *file = opened("sample.json");
  fprintf(file, "{\"sampling_mode\":\"Linear\",\"iters\":[");
  double *times = malloc(samples * sizeof *times);
  for (long i = 0; i < samples; i++) {
    long operations = (i + 1) * ((long)each + 1);
    times[i] = timed(operations);
    fprintf(file, "%s%ld.0", i ? "," : "", operations);
  }
  fprintf(file, "],\"times\":[");
  for (long i = 0; i < samples; i++) fprintf(file, "%s%.1f", i ? "," : "", times[i]);
  fprintf(file, "]}");
  fclose(file);
  file = opened("benchmark.json");
  fprintf(file, "{\"full_id\":\"%s\",\"throughput\":{\"Elements\":10}}", name);
  fclose(file);
}

int main(int count, char **words) {
  double warmup = 3, seconds = 5;
  long samples = 100;
  char dies[4096];
  snprintf(dies, sizeof dies, "%s.dies", words[0]);
  const char *wanted = "";
  for (int i = 1; i < count; i++) {
    if (!strcmp(words[i], "--help")) puts(help);
    if (!strcmp(words[i], "--list")) {
      for (int n = 0; n < 6; n++) printf("%s: benchmark\n", names[n]);
      return 0;
    }
    sscanf(words[i], "--warm-up-time=%lf", &warmup);
    sscanf(words[i], "--measurement-time=%lf", &seconds);
    sscanf(words[i], "--sample-size=%ld", &samples);
    wanted = words[i];
  }
  if (!strcmp(wanted, "aborts") || !access(dies, F_OK)) abort();
  if (!strcmp(wanted, "hangs")) sleep(60);
  if (!strcmp(wanted, "panics") || samples < 10) {
    fputs("\nthread 'main' (7) panicked at benches/x.rs:3:5:\nout of luck\nnote: run\n", stderr);
    return 101;
  }
  for (int n = 0; n < 6; n++)
    if (!strcmp(wanted, names[n])) measure(wanted, warmup, seconds, samples);
  return 0;
}
