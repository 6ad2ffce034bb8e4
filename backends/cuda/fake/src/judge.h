// judge.h refuses what g++ takes and NVRTC does not.
#ifndef TASO_FAKE_JUDGE_H
#define TASO_FAKE_JUDGE_H

int taso_in_word(char c); // whether it may be part of a name
// taso_word finds a whole word in text, which has a character before it, or returns NULL.
char *taso_word(char *text, const char *word);
// taso_judge returns what is wrong with a source that is without comments and strings, to
// be freed, or NULL; name stands for the source.
char *taso_judge(char *source, const char *name);

#endif
